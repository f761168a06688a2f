import { afterAll, beforeAll } from "vitest";
import { openPool, type PostgresPool } from "../../src/stores/postgres/driver.js";
import { type PostgresServer, postgresMissing, startPostgres } from "./postgres.mjs";

/** A server and a pool for all tests of a file, handed over once they stand, and gone with it. Nothing where Postgres is missing. */
export function usePostgres(take: (server: PostgresServer, pool: PostgresPool) => void): void {
  let end = async () => {};
  beforeAll(async () => {
    if (postgresMissing() !== undefined) return;
    const server = await startPostgres();
    const pool = await openPool({ url: server.url() });
    end = async () => {
      await pool.end();
      await server.stop();
    };
    take(server, pool);
  });
  afterAll(() => end());
}
