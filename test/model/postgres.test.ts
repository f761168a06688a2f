import { afterAll, beforeAll, expect, it } from "vitest";
import { openPool, type PostgresPool } from "../../src/stores/postgres/driver.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";
import { postgresBackend } from "./backends.js";
import { COMMANDS, checkModel, RUNS } from "./check.js";

const missing = postgresMissing();
/** Every command is several trips to a server; the other stores have the thousands. */
const POSTGRES_RUNS = RUNS / 10;

let server: PostgresServer;
let pool: PostgresPool;
beforeAll(async () => {
  if (missing !== undefined) return;
  server = await startPostgres();
  pool = await openPool({ url: server.url() });
});
afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

it.skipIf(missing !== undefined)(
  `agrees with the model at every step on Postgres, also after every restart (I1–I7, I9–I11)${missing ? `: ${missing}` : ""}`,
  { timeout: 3_600_000 },
  async () => {
    const done = await checkModel(() => postgresBackend(pool, "model"), { runs: POSTGRES_RUNS });
    expect(done).toBeGreaterThanOrEqual(POSTGRES_RUNS * COMMANDS * 0.8);
  },
);
