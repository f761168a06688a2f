import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type PostgresServer, postgresMissing } from "../../test/support/postgres.mjs";
import { usePostgres } from "../../test/support/postgres-pool.js";
import { newId } from "../core/ids.js";
import { defineTool } from "../core/tool.js";
import { createGate } from "../create-gate.js";
import type { PostgresPool } from "./postgres/driver.js";
import { ServerClock } from "./postgres/server-clock.js";
import { postgresStore } from "./postgres.js";

const missing = postgresMissing();
const CALLER = { userId: "ana", workspaceId: "home", sessionId: "s1", agentId: "bot" };
const ANA = { kind: "person" as const, userId: "ana", workspaceId: "home" };
const MINUTE = 60_000;
const TTL = 5 * MINUTE;

let server: PostgresServer;
let pool: PostgresPool;
let schemas = 0;
let off = 0;

usePostgres((...stood) => {
  [server, pool] = stood;
});
beforeEach(() => {
  const real = Date.now.bind(Date);
  off = 0;
  vi.spyOn(Date, "now").mockImplementation(() => real() + off);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function open(pollEvery = 1_000) {
  const store = await postgresStore({ url: server.url(), schema: `clock_${++schemas}`, listen: false, pollEvery });
  onTestFinished(() => store.close());
  return store;
}

async function serverNow(): Promise<number> {
  const text = "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now";
  return ((await pool.query({ text })).rows[0] as { now: number }).now;
}

describe.skipIf(missing !== undefined)(`an instance whose clock is wrong ${missing ?? ""}`, () => {
  it.each([-10 * MINUTE, 10 * MINUTE])(
    "gives people as long to decide as any other, from its first question on (%i ms off, fault R14)",
    async (by) => {
      off = by;
      const gate = createGate({
        store: await open(),
        tools: [defineTool({ name: "mail.send", execute: () => "sent" })],
        limits: { ttl: TTL },
      });
      onTestFinished(() => gate.close());
      const asked = await gate.submit({ tool: "mail.send", args: {} }, CALLER);
      expect(asked.type).toBe("pending");
      const { decideBy } = await gate.approval(asked.approvalId ?? "", ANA);
      expect(Math.abs(decideBy - TTL - (await serverNow()))).toBeLessThan(MINUTE);
    },
  );

  it("knows the server's time again soon after its own was set, although nobody commits (fault R14)", async () => {
    const store = await open(20);
    store.watch(() => undefined);
    for (const by of [60 * MINUTE, -60 * MINUTE]) {
      off = by;
      await expect
        .poll(async () => Math.abs(store.time() - (await serverNow())), { timeout: 10_000 })
        .toBeLessThan(MINUTE);
    }
  });

  it("does not unlearn the server's time by a reply that took long", async () => {
    const clock = await ServerClock.of(pool);
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const before = clock.now() - Date.now();
    clock.heard(clock.now(), Date.now() - 8_000);
    expect(clock.now() - Date.now()).toBe(before);
  });

  it("says so once", async () => {
    const said: string[] = [];
    const listen = ({ message }: Error) => said.push(message);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    off = -10 * MINUTE;
    const store = await open();
    await store.commit([{ changeId: newId(), workspaceId: "w", puts: [], entries: [] }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual([expect.stringMatching(/differs from the database server's by (599|600)\.\d s/)]);
  });
});
