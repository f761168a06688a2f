import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { migrate } from "../../src/server/identity/migrate.js";
import { postgresIdentityDatabase } from "../../src/server/identity/postgres-database.js";
import { Presence } from "../../src/server/live/presence.js";
import { fakeClock } from "../../src/testing/index.js";
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

  it("is said by several at the same time, and none of them waits for another in a circle (fault R6)", async () => {
    const [one, two] = [1, 2].map(() => postgresIdentityDatabase({ url: postgres.url(), schema: "presence" }));
    if (!one || !two) throw new Error("two instances");
    onTestFinished(async () => {
      await Promise.all([one.close(), two.close()]);
    });
    await migrate(one, 1);
    const [clock, told] = [fakeClock(), [] as string[]];
    const presence = new Presence(one, clock, (event) => void told.push(event));
    onTestFinished(() => presence.close());
    for (const userId of ["bob", "ann"]) await presence.came({ workspaceId: "w", userId });
    const say = "UPDATE identity_presence SET seen_until = ? WHERE workspace_id = 'w' AND user_id = ?";
    await two.transaction(async (queries) => {
      await queries.run(say, clock.now() + 90_000, "ann");
      await clock.advance(20_000);
      const waiting =
        "SELECT 1 AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%identity_presence%'";
      await expect.poll(() => two.all(waiting), SOON).toHaveLength(1);
      await queries.run(say, clock.now() + 90_000, "bob");
    }, "relaxed");
    await presence.close();
    expect(told).toEqual([]);
  });
});
