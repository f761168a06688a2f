import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { approved, CALLER, held, newWorld, PERSON, ran, type World } from "../../assistant/test/world.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";

const missing = postgresMissing();
const DELETE = "DELETE FROM orders WHERE status = 1";

describe.skipIf(missing !== undefined)(
  `the database tool on Postgres (seed E1)${missing ? `: ${missing}` : ""}`,
  () => {
    let server: PostgresServer;
    let database: pg.Pool;
    beforeAll(async () => {
      server = await startPostgres();
      database = new pg.Pool({ connectionString: server.url() });
      // The pool has ended before its connections have: those may still hear that the server stops.
      database.on("error", () => undefined);
    });
    afterAll(async () => {
      await database.end();
      await server.stop();
    });
    beforeEach(async () => {
      await database.query(`
      DROP TABLE IF EXISTS lines, orders;
      CREATE TABLE orders (id int PRIMARY KEY, status int, note text);
      CREATE TABLE lines (id int PRIMARY KEY, "order" int REFERENCES orders ON DELETE CASCADE);
      INSERT INTO orders VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 0, 'c')`);
    });
    const open = (policy: object = {}): World => newWorld({ data: { url: server.url(), ...policy } });
    const count = async (table = "orders") => {
      const { rows } = await database.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
      return Number(rows[0]?.count);
    };
    /** What a statement must never leave behind. */
    const traces = async () => {
      const { rows } = await database.query(
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal UNION ALL SELECT relname FROM pg_class WHERE relname LIKE 'countersign%'",
      );
      return rows;
    };

    it("asks with the exact rows and the plan in view, then deletes them and audits before and after", async () => {
      const { gate, household } = open();
      const outcome = await held(gate, "data.modify", { sql: DELETE });
      expect(outcome.card.riskTier).toBe("R4");
      expect(outcome.card.effects.map(({ text }) => String(text))).toEqual(["deletes 2 rows"]);
      expect(JSON.stringify(outcome.card)).toContain("Delete on orders");
      expect([await count(), await traces()]).toEqual([3, []]);
      expect(await approved(gate, outcome)).toMatchObject({ type: "succeeded", result: { rows: 2, cut: false } });
      expect([await count(), await traces()]).toEqual([1, []]);
      const [audit] = household.all<{ sample: string }>("SELECT * FROM data_audit");
      expect(audit).toMatchObject({ rows: 2, status: "success", operation: "delete", user_id: "ann" });
      const sample = (JSON.parse(audit?.sample ?? "[]") as string[]).map((row) => JSON.parse(row) as unknown);
      expect(sample).toEqual([
        { table: "orders", before: { id: 1, status: 1, note: "a" } },
        { table: "orders", before: { id: 2, status: 1, note: "b" } },
      ]);
    });

    it("shows an update as it was and as it will be", async () => {
      const { gate } = open();
      const outcome = await held(gate, "data.modify", { sql: "UPDATE orders SET note = upper(note) WHERE id = 3" });
      const ended = await approved(gate, outcome);
      const row = { table: "orders", before: { id: 3, note: "c", status: 0 }, after: { id: 3, note: "C", status: 0 } };
      expect(ended).toMatchObject({ result: { rows: 1, sample: [JSON.stringify(row)] } });
    });

    it("counts and names what foreign keys pass on, and refuses where that table may not be changed", async () => {
      await database.query("INSERT INTO lines VALUES (10, 1), (11, 1)");
      const outcome = await held(open().gate, "data.modify", { sql: DELETE });
      expect(String(outcome.card.effects[0]?.text)).toContain("deletes 4 rows");
      expect(JSON.stringify(outcome.card.targets)).toContain("table lines");
      const strict = open({ allowedTables: ["orders"] });
      const refused = await approved(strict.gate, await held(strict.gate, "data.modify", { sql: DELETE }));
      expect(refused).toMatchObject({ type: "failed", error: expect.stringContaining('"lines" may not be changed') });
      expect(await count()).toBe(3);
    });

    it("asks anew when other rows would go than were shown", async () => {
      const { gate } = open();
      const { approvalId, card } = await held(gate, "data.modify", { sql: DELETE });
      await database.query("INSERT INTO orders VALUES (4, 1, 'd')");
      await gate.decide({ approvalId, decision: "approve", toolCallHash: card.toolCallHash }, PERSON);
      expect(await count()).toBe(4);
    });

    it.each([
      "DELETE FROM orders",
      "UPDATE orders SET status = 2",
      "DROP TABLE orders CASCADE",
      "TRUNCATE orders CASCADE",
    ])("asks about %s, with the number of rows, and has changed nothing", async (sql) => {
      const outcome = await held(open().gate, "data.modify", { sql });
      expect(String(outcome.card.effects[0]?.text)).toContain("3 rows");
      expect([await count(), await traces()]).toEqual([3, []]);
    });

    it.each([
      "INSERT INTO orders SELECT 9, 9, pg_read_file('/etc/passwd')",
      "UPDATE orders SET status = nextval('s')",
      "UPDATE orders SET note = somebodys_function(note)",
      "COPY orders TO PROGRAM 'cat > /dev/null'",
      "CREATE DATABASE other",
      "GRANT ALL ON orders TO public",
      "DELETE FROM orders; DELETE FROM lines",
    ])("does not even try %s, whoever approves it", async (sql) => {
      const { gate } = open();
      expect(await approved(gate, await held(gate, "data.modify", { sql }))).toMatchObject({ type: "failed" });
      expect(await count()).toBe(3);
    });

    it("queries without asking, on a connection that cannot write", async () => {
      const { gate } = open();
      const sql = "SELECT id, date '2026-01-02' AS day FROM orders WHERE status = 1 ORDER BY id";
      expect(await ran(gate, "data.query", { sql })).toMatchObject({ rows: [{ id: 1 }, { id: 2 }], cut: false });
      const many = await ran<{ rows: unknown[]; cut: boolean }>(gate, "data.query", {
        sql: "SELECT generate_series(1, 5000)",
      });
      expect([many.rows.length, many.cut]).toEqual([1_000, true]);
      for (const write of [DELETE, "SELECT 1; DELETE FROM orders", "SELECT * INTO copies FROM orders"]) {
        const outcome = await gate.submit({ tool: "data.query", args: { sql: write }, confidence: 1 }, CALLER);
        expect(outcome.type, write).not.toBe("succeeded");
      }
      expect(await count()).toBe(3);
    });

    it("changes no more rows than the policy allows, and keeps nothing of what it refuses", async () => {
      const { gate, household } = open({ maxAffectedRows: 1 });
      const outcome = await approved(gate, await held(gate, "data.modify", { sql: DELETE }));
      expect(outcome).toMatchObject({ type: "failed", error: expect.stringContaining("at most 1") });
      expect([await count(), await traces()]).toEqual([3, []]);
      expect(household.all("SELECT status FROM data_audit")).toEqual([{ status: "error" }]);
    });
  },
);
