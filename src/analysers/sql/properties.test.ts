import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atLeast } from "../../core/risk.js";
import { analyseSql, type SqlDialect } from "./index.js";

const DIALECTS = ["postgres", "mysql", "sqlite"] as const;
const reads = JSON.parse(readFileSync(new URL("./data/reads.json", import.meta.url), "utf8")) as {
  sql: string;
  dialect: SqlDialect;
}[];

describe("analyseSql on any text", () => {
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
        // Postgres reads flat lists, and chains as deep as the stack allows; nothing else here is safe in any dialect.
        const floor =
          dialect === "postgres" && ["conditions", "words", "tests"].includes(name)
            ? "R0"
            : name === "calls"
              ? "R3"
              : "R4";
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
});
