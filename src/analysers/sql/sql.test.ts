import { describe, expect, it } from "vitest";
import { analyseSql, describeSql, type SqlDialect } from "./index.js";
import { lazyParser } from "./load-parser.js";

const DIALECTS = ["postgres", "mysql", "sqlite"] as const;

describe("analyseSql", () => {
  it("refuses what is not a text", async () => {
    for (const value of [undefined, null, 5, {}, ["SELECT 1"]]) {
      expect(await analyseSql(value as unknown as string, "postgres")).toEqual({
        riskTier: "R4",
        inspectable: false,
        findings: [{ code: "unreadable", riskTier: "R4", text: "This is not a text." }],
      });
    }
  });

  it.each<[SqlDialect, string, string, string]>([
    ["postgres", "SELECT 'é𝒳',\n  evil_one(1) FROM t WHERE x = 1", "unknown_function", "evil_one"],
    ["mysql", "SELECT 'é𝒳',\n  evil_one(1) FROM t WHERE x = 1", "unknown_function", "evil_one"],
    ["sqlite", "SELECT 'é𝒳',\n  evil_one(1) FROM t WHERE x = 1", "unknown_function", "evil_one"],
    ["postgres", 'SELECT 1; SELECT s . "Evil ""fn"(1)', "unknown_function", 's . "Evil ""fn"'],
    ["postgres", "SELECT s.evil(1)", "unknown_function", "s.evil"],
    ["postgres", "SELECT 1 OPERATOR(x.+) 2", "unknown_operator", "OPERATOR(x.+)"],
    ["postgres", "SELECT été_2$(1)", "unknown_function", "été_2$"],
    ["postgres", "SELECT * FROM t TABLESAMPLE evil (1)", "unknown_function", "SELECT * FROM t TABLESAMPLE evil (1)"],
    ["postgres", "SELECT 'é', 1 %%% 2", "unknown_operator", "%%%"],
    ["postgres", "SELECT 'é', 1 operator ( x.+ ) 2", "unknown_operator", "operator ( x.+ )"],
    ["postgres", "UPDATE t SET é = 1 WHERE id = 5 OR 1 = 1  ; SELECT 1", "where_always_true", "id = 5 OR 1 = 1"],
    ["mysql", "UPDATE t SET a = 1 WHERE id = 5 OR 1 = 1", "where_always_true", "id = 5 OR 1 = 1"],
    ["sqlite", "UPDATE t SET a = 1 WHERE true", "where_always_true", "true"],
    ["mysql", "SELECT /*+ SET_VAR(a=1) */ 1", "hint_sets", "/*+ SET_VAR(a=1) */"],
    ["mysql", "SELECT 1 /*!50000 + 1 */ + 2", "executable_comment", "/*!50000 + 1 */"],
    ["mysql", "SELECT 1; SELECT 'a", "unterminated", "'a"],
    ["postgres", "SELECT 1; DELETE FROM t ; SELECT 2", "delete_without_where", "DELETE FROM t"],
    ["sqlite", "SELECT 1; DELETE FROM t ; SELECT 2", "delete_without_where", "DELETE FROM t"],
    ["postgres", `SELECT evil(1, '${"𝒳".repeat(900)}')`, "unknown_function", "evil"],
  ])("points in %s `%s` at what %s speaks of", async (dialect, sql, code, fragment) => {
    const { findings } = await analyseSql(sql, dialect);
    expect(findings.filter((found) => found.code === code).map((found) => found.fragment)).toEqual([fragment]);
  });

  it.each([
    ["postgres", /^The Postgres parser could not read this: .*SELEC.*\.$/],
    ["mysql", /^The MySQL parser could not read this: Expected.*SELEC.*\.$/],
    ["sqlite", /^The SQLite parser could not read this: Expected.*SELEC.*\.$/],
  ] as const)("repeats what the %s parser complains about", async (dialect, sentence) => {
    const { findings } = await analyseSql("SELEC 1", dialect);
    expect(findings).toEqual([
      { code: "unparsable", riskTier: "R4", text: expect.stringMatching(sentence), fragment: "SELEC 1" },
    ]);
  });

  it("reads up to its limits, and not beyond (attack C3)", async () => {
    const codes = async (sql: string): Promise<string[]> =>
      (await analyseSql(sql, "sqlite")).findings.map(({ code }) => code);
    const bytes = (count: number): string => `SELECT '${"x".repeat(count - 9)}'`;
    expect(await codes(bytes(256 * 1024))).toEqual([]);
    expect(await analyseSql(bytes(256 * 1024 + 1), "sqlite")).toEqual({
      riskTier: "R4",
      inspectable: false,
      findings: [{ code: "unreadable", riskTier: "R4", text: "The text is longer than 262144 bytes." }],
    });
    expect(await codes("PRAGMA threads;".repeat(1000))).toEqual([]);
    expect(await analyseSql("PRAGMA threads;".repeat(1001), "sqlite")).toMatchObject({
      inspectable: false,
      findings: [{ code: "too_many", text: "There are more than 1000 statements." }],
    });
    expect(await codes(`SELECT ${"1+".repeat(300)}1`)).toEqual([]);
    expect(await analyseSql(`SELECT ${"1+".repeat(301)}1`, "sqlite")).toMatchObject({
      findings: [{ code: "too_deep", text: "This statement nests too deeply to be read." }],
    });
    expect(await analyseSql("1 ".repeat(60_001), "sqlite")).toMatchObject({
      findings: [{ code: "too_long", text: "There are more than 60000 words and signs in this text." }],
    });
    expect(await codes(`PRAGMA threads${" ".repeat(284)};`)).toEqual([]);
    expect(await codes(`PRAGMA ${" ".repeat(286)}threads`)).toEqual(["unparsable"]);
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

  it("gives each statement as it was written", async () => {
    const sql = " SELECT 'é𝒳' ;\n-- note\nSELECT 2 ; DELETE FROM é";
    for (const dialect of DIALECTS) {
      const texts = (await describeSql(sql, dialect)).statements.map(({ text }) => text);
      expect(texts).toEqual(["SELECT 'é𝒳'", "SELECT 2", "DELETE FROM é"]);
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
    const missing = {
      code: "parser_missing",
      sentence: `The SQL analyser for Postgres needs the "${name}" package. Install it: npm i ${name}`,
    };
    expect([await load(), await load()]).toEqual([missing, missing]);
    expect(tries).toBe(2);
  });

  it("explains any other reason why a package does not load", async () => {
    const sentence = 'The SQL analyser for Postgres could not load the "x" package: ';
    const refuse = async (error: unknown): Promise<never> => {
      throw error;
    };
    const reason = (error: unknown) => lazyParser("Postgres", "x", () => refuse(error))();
    expect(await reason(new Error("no memory"))).toMatchObject({ sentence: `${sentence}no memory` });
    expect(await reason("no wasm")).toMatchObject({ sentence: `${sentence}no wasm` });
    expect(await reason(null)).toMatchObject({ sentence: `${sentence}null` });
  });

  it("takes what CommonJS calls missing for missing too", async () => {
    const load = lazyParser("Postgres", "x", () => Promise.reject({ code: "MODULE_NOT_FOUND" }));
    expect(await load()).toMatchObject({ sentence: expect.stringContaining("npm i x") });
  });

  it("loads once", async () => {
    let tries = 0;
    const load = lazyParser("Postgres", "x", async () => ++tries);
    expect([await load(), await load()]).toEqual([{ parser: 1 }, { parser: 1 }]);
  });
});
