import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";
import { startInstance } from "./instance.js";

const missing = postgresMissing();
const SOON = { timeout: 10_000, interval: 50 };
let postgres: PostgresServer;

beforeAll(async () => {
  if (missing === undefined) postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

describe.skipIf(missing !== undefined)(`a person at one instance ${missing ?? ""}`, () => {
  it("is there for calls at every other, which then have the short time to decide, until they go", async () => {
    const store = postgres.url();
    const [a, b] = [await startInstance({ store }), await startInstance({ store })];
    const owner = await a.signIn();
    const agent = await a.newAgent(owner);
    let asked = 0;
    /** In minutes, for a call that is asked at the first instance now. */
    const timeToDecide = async () => {
      const body = { tool: "task.update", args: { n: asked++ } };
      const from = Date.now();
      const answer = await a.ask({ method: "POST", path: "/v1/calls", body, headers: agent.headers });
      return Math.round((Date.parse(answer.body["expiresAt"] as string) - from) / 60_000);
    };
    expect(await timeToDecide()).toBe(30);
    const stop = new AbortController();
    const stream = await fetch(`${b.served.url}/v1/events`, { headers: owner, signal: stop.signal });
    expect(stream.status).toBe(200);
    await expect.poll(timeToDecide, SOON).toBe(5);
    stop.abort();
    await expect.poll(timeToDecide, SOON).toBe(30);
  });
});
