import { expect, it } from "vitest";
import type { PostgresPool } from "../../src/stores/postgres/driver.js";
import { postgresMissing } from "../support/postgres.mjs";
import { usePostgres } from "../support/postgres-pool.js";
import { postgresBackend } from "./backends.js";
import { COMMANDS, checkModel, RUNS } from "./check.js";

const missing = postgresMissing();
/** Every command is several trips to a server; the other stores have the thousands. */
const POSTGRES_RUNS = RUNS / 10;

let pool: PostgresPool;
usePostgres((_server, opened) => {
  pool = opened;
});

it.skipIf(missing !== undefined)(
  `agrees with the model at every step on Postgres, also after every restart (I1–I7, I9–I11)${missing ? `: ${missing}` : ""}`,
  { timeout: 3_600_000 },
  async () => {
    const done = await checkModel(() => postgresBackend(pool, "model"), { runs: POSTGRES_RUNS });
    expect(done).toBeGreaterThanOrEqual(POSTGRES_RUNS * COMMANDS * 0.8);
  },
);
