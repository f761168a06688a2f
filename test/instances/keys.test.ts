import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCheckpoint } from "../../src/proof/index.js";
import { postgresStore } from "../../src/stores/postgres.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";
import { RedisServer, redisMissing } from "../support/redis.js";
import { type Headers, SECRET } from "./http.js";
import { startInstance } from "./instance.js";

const missing = postgresMissing() ?? redisMissing;
const OTHER = SECRET.replace("one", "two");

let postgres: PostgresServer;
let redis: RedisServer;
let databases = 0;

beforeAll(async () => {
  if (missing !== undefined) return;
  [postgres, redis] = await Promise.all([startPostgres(), RedisServer.start({}, { inMemory: true })]);
});
afterAll(async () => {
  await postgres?.stop();
  await redis?.stop();
});

/** A database that nobody has used yet. */
async function newDatabase(): Promise<string> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: postgres.url() });
  await client.connect();
  const name = `keys_${++databases}`;
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return postgres.url(name);
}

async function checkpointAt(instance: Awaited<ReturnType<typeof startInstance>>, headers: Headers) {
  const { body } = await instance.ask({ path: "/v1/audit/checkpoints", headers });
  return body as { checkpoints: string[]; publicKeys: string[] };
}

describe.skipIf(missing !== undefined)(`instances on one store ${missing ?? ""}`, () => {
  it.each(["postgres", "redis"])("do not start on %s without the secret that their keys come from", async (engine) => {
    const store = engine === "redis" ? redis.url : await newDatabase();
    const refused = startInstance({ store, secret: false });
    await expect(refused).rejects.toMatchObject({
      code: "unknown_key",
      message: expect.stringMatching(/one secret, and there is none here.*COUNTERSIGN_SECRET.*openssl rand/),
    });
  });

  it("do not start with a secret that could be guessed", async () => {
    await expect(startInstance({ store: await newDatabase(), secret: "password" })).rejects.toThrow(
      /at least 32 random characters/,
    );
  });

  it("know each other's people, keys, tokens, checkpoints and sealed records when their secret is the same", async () => {
    const store = await newDatabase();
    const [a, b] = [await startInstance({ store, seal: "on" }), await startInstance({ store, seal: "on" })];
    const owner = await a.signIn();
    const agent = await a.newAgent(owner);
    const call = { tool: "task.update", args: { note: "nobody reads this" } };
    const asked = await a.ask({ method: "POST", path: "/v1/calls", body: call, headers: agent.headers });
    expect(asked.body).toMatchObject({ type: "pending" });
    const path = `/v1/approvals/${asked.body["approvalId"] as string}`;
    const { body: approval } = await b.ask({ path, headers: owner });
    expect(JSON.stringify(approval)).toContain("nobody reads this");
    const decision = { decision: "approve", toolCallHash: approval["toolCallHash"] };
    expect((await b.ask({ method: "POST", path: `${path}/decision`, body: decision, headers: owner })).status).toBe(
      200,
    );
    const ended = await a.ask({
      path: `/v1/calls/${asked.body["approvalId"] as string}?wait=20`,
      headers: agent.headers,
    });
    expect(ended.body).toMatchObject({ type: "succeeded" });

    await a.served.service.proof.checkpointer?.sign();
    const signedByA = await checkpointAt(b, owner);
    expect(signedByA.checkpoints).toHaveLength(1);
    const publicKey = b.served.service.proof.signingKey?.publicKey ?? "";
    expect(openCheckpoint(signedByA.checkpoints[0] ?? "", [publicKey]).seq).toBeGreaterThan(0);

    // And whoever has the database alone reads nothing.
    const bare = await postgresStore({ url: store });
    const kept = await bare.get("call", asked.body["approvalId"] as string);
    expect(kept?.value).toMatch(/^sealed\.v1\./);
    await bare.close();
  });

  it.each(["postgres", "redis"])("do not start on %s with another secret than the others", async (engine) => {
    const identity = await newDatabase();
    const store = engine === "redis" ? redis.url : identity;
    const first = await startInstance({ store, identity });
    await expect(startInstance({ store, identity, secret: OTHER })).rejects.toMatchObject({
      code: "unknown_key",
      message: expect.stringContaining("used by instances with another secret"),
    });
    // The one that was first goes on.
    expect((await first.ask({ path: "/readyz" })).status).toBe(200);
  });

  it("change the secret by naming the new one behind the old one, and then need the new one", async () => {
    const store = await newDatabase();
    const old = await startInstance({ store, seal: "on" });
    const owner = await old.signIn();
    const agent = await old.newAgent(owner);
    const body = { tool: "task.update", args: {} };
    const asked = await old.ask({ method: "POST", path: "/v1/calls", body, headers: agent.headers });
    await old.served.close();
    const both = await startInstance({ store, seal: "on", secret: `${SECRET} ${OTHER}` });
    const path = `/v1/approvals/${asked.body["approvalId"] as string}`;
    expect((await both.ask({ path, headers: owner })).body).toMatchObject({ state: "pending" });
    await expect(startInstance({ store, seal: "on" })).rejects.toThrow(/another secret/);
    await startInstance({ store, seal: "on", secret: OTHER });
  });

  it("are sealed all or none", async () => {
    const store = await newDatabase();
    await startInstance({ store });
    await expect(startInstance({ store, seal: "on" })).rejects.toThrow(/is not sealed.*set it to "off"/);
  });

  it("say at start when people are kept where other machines do not see them", async () => {
    const told: string[] = [];
    const fresh = await RedisServer.start({}, { inMemory: true });
    try {
      const alone = await startInstance({ store: fresh.url, notice: (event) => void told.push(event) });
      await alone.served.close();
    } finally {
      await fresh.stop();
    }
    expect(told).toContain("identity.local");
  });
});

describe("an instance with a store of its own", () => {
  it("makes its keys at the first start and needs no secret", async () => {
    const instance = await startInstance({ store: "sqlite", secret: false });
    for (const name of ["signing.key", "sealing.key", "mask.key"])
      expect(existsSync(join(instance.data, name))).toBe(true);
    expect(instance.served.service.proof.signingKey?.publicKey).toMatch(/^countersign\+/);
  });
});
