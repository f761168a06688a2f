import * as vitest from "vitest";
import { type PostgresServer, postgresMissing } from "../../test/support/postgres.mjs";
import { usePostgres } from "../../test/support/postgres-pool.js";
import { describeStore } from "../testing/index.js";
import type { PostgresPool } from "./postgres/driver.js";
import { postgresStore } from "./postgres.js";

const missing = postgresMissing();
let server: PostgresServer;
let pool: PostgresPool;

usePostgres((...stood) => {
  [server, pool] = stood;
});

vitest.describe.skipIf(missing !== undefined)(`Postgres${missing === undefined ? "" : ` (${missing})`}`, () => {
  let schemas = 0;
  describeStore(
    vitest,
    "Postgres",
    (clock) => postgresStore({ url: server.url(), schema: `contract_${++schemas}`, clock }),
    { reopen: (clock) => postgresStore({ url: server.url(), schema: `contract_${schemas}`, clock }) },
  );
  describeStore(
    vitest,
    "Postgres on a pool of the host, without notifications",
    (clock) => postgresStore({ pool, schema: `pooled_${++schemas}`, clock, listen: false }),
    { reopen: (clock) => postgresStore({ pool, schema: `pooled_${schemas}`, clock, listen: false }) },
  );
});
