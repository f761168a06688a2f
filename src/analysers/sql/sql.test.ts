import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { atLeast } from "../../core/risk.js";
import { analyseSql, describeSql, type SqlDialect } from "./index.js";
import { lazyParser } from "./load-parser.js";

const DIALECTS = ["postgres", "mysql", "sqlite"] as const;
const reads = JSON.parse(readFileSync(new URL("./data/reads.json", import.meta.url), "utf8")) as {
  sql: string;
  dialect: SqlDialect;
}[];

describe("analyseSql", () => {
  it("never puts a read followed by a DELETE below R4 (seed flaw F-E9)", async () => {
    const joints = fc.constantFrom(";", " ; ", "\n;\n", ";;", "; /* c */ ", "\n; -- c\n");
    const tails = fc.constantFrom(
      "DELETE FROM t",
      "delete from t where id = 1",
      "DELETE\nFROM t;",
      "DELETE FROM t -- x",
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reads), joints, tails, async ({ sql, dialect }, joint, tail) => {
        // A line break ends the line comments that some of the reads finish with.
        const analysis = await analyseSql(`${sql}\n${joint}${tail}`, dialect);
        expect(analysis.riskTier).toBe("R4");
      }),
      { numRuns: 500 },
    );
  });

  it("never throws on any text, and calls none a read that has no reading verb", async () => {
    const words = fc.constantFrom(
      "SELECT",
      "DELETE",
      "FROM",
      "t",
      "WHERE",
      "1",
      "=",
      ";",
      "'",
      '"',
      "`",
      "--",
      "/*",
      "*/",
      "(",
      ")",
      ",",
      "\\",
      "$$",
      "[",
      "]",
      "#",
      "\n",
      "UPDATE",
      "SET",
      "WITH",
      "x",
      "AS",
      "PRAGMA",
      "\u0000",
      "é",
      "𝒳",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(words, { maxLength: 14 }).map((parts) => parts.join(" ")),
      fc.array(words, { maxLength: 14 }).map((parts) => parts.join("")),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...DIALECTS), async (sql, dialect) => {
        const { riskTier, inspectable, findings } = await analyseSql(sql, dialect);
        if (!inspectable) expect(riskTier).toBe("R4");
        if (riskTier === "R0") expect(sql).toMatch(/SELECT|VALUES|BEGIN|PRAGMA|TABLE|SHOW|EXPLAIN|DESC/i);
        for (const found of findings) expect(sql).toContain(found.fragment ?? "");
      }),
      { numRuns: 1500 },
    );
  });

  it("names a DELETE wherever the words around it come from", async () => {
    const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}x$/);
    await fc.assert(
      fc.asyncProperty(names, fc.string(), fc.constantFrom(...DIALECTS), async (table, value, dialect) => {
        const text = value.replace(/[\\']/g, "").replaceAll("\0", "");
        const { riskTier, findings } = await analyseSql(`DELETE FROM ${table} WHERE note = '${text}'`, dialect);
        expect(riskTier).toBe("R4");
        expect(findings.map((found) => found.code)).toContain("delete_rows");
      }),
      { numRuns: 200 },
    );
  });

  it("asks about texts over the limits unread, and still reads the next (attack C3)", async () => {
    const long: Record<string, string> = {
      bytes: `SELECT '${"x".repeat(1024 * 1024)}'`,
      statements: "SELECT 1;".repeat(1001),
      parentheses: `SELECT ${"(".repeat(50_000)}1${")".repeat(50_000)}`,
      sums: `SELECT ${"1+".repeat(50_000)}1`,
      negations: `SELECT ${"NOT ".repeat(30_000)}true`,
      conditions: `SELECT 1 FROM t WHERE ${"a=1 OR ".repeat(5_000)}a=2`,
      tests: `SELECT a ${"IS NULL ".repeat(5_000)}`,
      words: "SELECT 1 FROM t WHERE a IN (" + "1,".repeat(100_000) + "1)",
      calls: `SELECT ${"f(1)+".repeat(5_000)}1`,
    };
    for (const dialect of DIALECTS) {
      for (const [name, sql] of Object.entries(long)) {
        const { riskTier } = await analyseSql(sql, dialect);
        // Postgres reads flat lists and chains well; nothing else here is safe in any dialect.
        const floor =
          dialect === "postgres" && (name === "conditions" || name === "words") ? "R0" : name === "calls" ? "R3" : "R4";
        expect(atLeast(riskTier, floor), `${dialect} ${name} is ${riskTier}`).toBe(true);
        expect(await analyseSql("SELECT 1", dialect)).toEqual({ riskTier: "R0", inspectable: true, findings: [] });
      }
    }
  });

  it("reads statements up to its nesting limit without losing the parser", async () => {
    for (const link of ["1+", "1 OR ", "NOT ", "1 IS NULL OR ", "- "]) {
      for (const count of [100, 140, 290, 310, 600]) {
        await analyseSql(`SELECT ${link.repeat(count)}1`, "mysql");
        await analyseSql(`SELECT ${link.repeat(count)}1`, "sqlite");
      }
    }
    expect((await analyseSql(`SELECT ${"1+".repeat(250)}1`, "sqlite")).riskTier).toBe("R0");
    expect((await analyseSql("SELECT 1", "mysql")).riskTier).toBe("R0");
  });

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

  it("makes every text R4 while a parser is missing", async () => {
    vi.resetModules();
    vi.doMock("libpg-query", () => ({
      loadModule: () => Promise.reject(Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" })),
      parseSync: undefined,
    }));
    const { analyseSql: analyse } = await import("./index.js");
    expect(await analyse("SELECT 1", "postgres")).toEqual({
      riskTier: "R4",
      inspectable: false,
      findings: [
        {
          code: "parser_missing",
          riskTier: "R4",
          text: 'The SQL analyser for Postgres needs the "libpg-query" package. Install it: npm i libpg-query',
        },
      ],
    });
    expect((await analyse("SELECT 1", "sqlite")).riskTier).toBe("R0");
    vi.doUnmock("libpg-query");
  });

  it("loads once", async () => {
    let tries = 0;
    const load = lazyParser("Postgres", "x", async () => ++tries);
    expect([await load(), await load()]).toEqual([{ parser: 1 }, { parser: 1 }]);
  });
});
