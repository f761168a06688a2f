import { describe, expect, it } from "vitest";
import { analyseSql, describeSql } from "./index.js";
import { lazyParser } from "./load-parser.js";

const DIALECTS = ["postgres", "mysql", "sqlite"] as const;

describe("analyseSql", () => {
  it("refuses what is not a text", async () => {
    for (const value of [undefined, null, 5, {}, ["SELECT 1"]]) {
      expect(await analyseSql(value as unknown as string, "postgres")).toMatchObject({
        riskTier: "R4",
        inspectable: false,
      });
    }
  });

  it("points at the function or clause it speaks of", async () => {
    const sql = "SELECT 'é𝒳',\n  evil_one(1) FROM t WHERE x = 1";
    for (const dialect of DIALECTS) {
      const { findings } = await analyseSql(sql, dialect);
      expect(findings).toEqual([expect.objectContaining({ code: "unknown_function", fragment: "evil_one" })]);
    }
    const where = await analyseSql("UPDATE t SET a = 1 WHERE id = 5 OR 1 = 1", "mysql");
    expect(where.findings).toContainEqual(
      expect.objectContaining({ code: "where_always_true", fragment: "id = 5 OR 1 = 1" }),
    );
  });
});

describe("describeSql", () => {
  it("tells the operations and tables of each statement", async () => {
    const sql =
      "SELECT * FROM a JOIN s.b ON true; UPDATE c SET x = (SELECT max(y) FROM d) WHERE id = 1; INSERT INTO e SELECT * FROM f";
    for (const dialect of DIALECTS) {
      const { statements } = await describeSql(sql, dialect);
      expect(
        statements.map(({ kind, tables, writes, hasWhere }) => ({
          kind,
          tables: [...tables].sort(),
          writes,
          hasWhere,
        })),
      ).toEqual([
        { kind: "select", tables: ["a", "s.b"], writes: [], hasWhere: false },
        { kind: "update", tables: ["c", "d"], writes: ["c"], hasWhere: true },
        { kind: "insert", tables: ["e", "f"], writes: ["e"], hasWhere: false },
      ]);
    }
  });

  it("does not let a WITH name hide a real table (attack C3)", async () => {
    const hidden = {
      "WITH users AS (SELECT * FROM users) SELECT * FROM users": ["users"],
      "SELECT * FROM users WHERE id IN (WITH users AS (SELECT 1) SELECT * FROM users)": ["users"],
      "WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b": [],
      "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT * FROM r) SELECT * FROM r": [],
      "WITH t AS (SELECT 1) DELETE FROM t WHERE id = 1": ["t"],
      "WITH users AS (SELECT 1) SELECT * FROM public.users": ["public.users"],
      "SELECT 1 UNION SELECT * FROM (WITH b AS (SELECT * FROM c) SELECT * FROM b) x UNION SELECT * FROM b": ["c", "b"],
    };
    for (const dialect of DIALECTS) {
      for (const [sql, tables] of Object.entries(hidden)) {
        expect((await describeSql(sql, dialect)).statements[0]?.tables, `${dialect}: ${sql}`).toEqual(tables);
      }
    }
  });

  it("quotes a name that holds a dot, so that it is not taken for another table", async () => {
    expect((await describeSql('SELECT * FROM "a.b"', "postgres")).statements[0]?.tables).toEqual(['"a.b"']);
    expect((await describeSql("SELECT * FROM `a.b`", "mysql")).statements[0]?.tables).toEqual(['"a.b"']);
  });

  it("folds names as the dialect does", async () => {
    const names = await Promise.all(
      DIALECTS.map(async (dialect) => (await describeSql("SELECT * FROM Users", dialect)).statements[0]?.tables),
    );
    expect(names).toEqual([["users"], ["Users"], ["users"]]);
  });
});

describe("lazyParser", () => {
  it("explains a package that is not installed, and tries again at the next use", async () => {
    let tries = 0;
    const name: string = "a-parser-that-is-not-installed";
    const load = lazyParser("Postgres", name, () => {
      tries++;
      return import(name);
    });
    const sentence = `The SQL analyser for Postgres needs the "${name}" package. Install it: npm i ${name}`;
    expect([await load(), await load()]).toEqual([{ problem: sentence }, { problem: sentence }]);
    expect(tries).toBe(2);
  });

  it("loads once", async () => {
    let tries = 0;
    const load = lazyParser("Postgres", "x", async () => ++tries);
    expect([await load(), await load()]).toEqual([{ parser: 1 }, { parser: 1 }]);
  });
});
