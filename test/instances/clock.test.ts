import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openPool } from "../../src/stores/postgres/driver.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";
import { startInstance } from "./instance.js";

const missing = postgresMissing();
const MINUTE = 60_000;

let postgres: PostgresServer;

beforeAll(async () => {
  if (missing === undefined) postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

describe.skipIf(missing !== undefined)(`an instance whose clock is wrong ${missing ?? ""}`, () => {
  it.each([-10 * MINUTE, 10 * MINUTE])(
    "times sessions, limits and keys of people by the store's clock, and lets nobody wait for longer (%i ms off, fault R14, I9)",
    async (off) => {
      const real = Date.now.bind(Date);
      const spy = vi.spyOn(Date, "now").mockImplementation(() => real() + off);
      onTestFinished(() => spy.mockRestore());
      const instance = await startInstance({ store: postgres.url() });
      const agent = await instance.newAgent(await instance.signIn());
      const body = { tool: "task.update", args: { off } };
      const asked = await instance.ask({ method: "POST", path: "/v1/calls?wait=1", body, headers: agent.headers });
      expect(asked.status).toBe(202);
      const pool = await openPool({ url: postgres.url(), searchPath: "countersign" });
      onTestFinished(() => pool.end());
      const { rows } = await pool.query({
        text: `SELECT abs(extract(epoch FROM now()) * 1000 - t.at)::float8 AS off FROM (
          SELECT max(created_at) AS at FROM identity_session UNION ALL SELECT max(created_at) FROM identity_key
          UNION ALL SELECT max(ends_at) FROM identity_counter) AS t`,
      });
      expect(rows).toHaveLength(3);
      for (const row of rows as { off: number }[]) expect(row.off).toBeLessThan(2 * MINUTE);
    },
  );
});
