import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Finding, RiskTier } from "../../core/risk.js";
import { analyseSql, describeSql, type SqlDialect, type SqlStatement } from "./index.js";

interface Case {
  readonly sql: string;
  readonly dialect: SqlDialect;
  readonly exactly: RiskTier;
  readonly inspectable?: boolean;
  /** The codes of all findings, sorted, each once. */
  readonly findings?: readonly string[];
  /** Each statement in short: its verb, its tables with `!` before those it writes, its functions, and whether a WHERE selects. */
  readonly does?: readonly string[];
  readonly attack?: string;
}

const folder = new URL("./data/", import.meta.url);
/** Every sentence that people may read, with its tier and code. */
const sentences = readFileSync(new URL("sentences.txt", folder), "utf8").split("\n");

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const cases = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Case[];
  // One test for many cases: a mutation run names the tests to run in one pattern, which must stay short.
  describe(`the SQL cases in ${file} (attack C3, seed flaw F-E9)`, () => {
    it.each([...new Set(cases.map(({ dialect }) => dialect))])("are as written down in %j", async (dialect) => {
      for (const each of cases.filter((other) => other.dialect === dialect)) await check(each);
    });
  });
}

async function check({ sql, dialect, exactly, inspectable = true, findings = [], does = [] }: Case): Promise<void> {
  const analysis = await analyseSql(sql, dialect);
  expect({ sql, ...analysis }).toMatchObject({ sql, riskTier: exactly, inspectable });
  expect([...new Set(analysis.findings.map((found) => found.code))].sort(), sql).toEqual(findings);
  // What is not plainly safe is explained, about parts that are really there.
  if (exactly !== "R0") expect(findings, sql).not.toEqual([]);
  for (const found of analysis.findings) {
    expect(sql).toContain(found.fragment ?? "");
    expect(sentences).toContain(inOwnWords(found));
  }
  expect((await describeSql(sql, dialect)).statements.map(shortly), sql).toEqual(does);
}

/** What a parser complains about is in its words, not ours. */
function inOwnWords({ riskTier, code, text }: Finding): string {
  return `${riskTier} ${code}: ${text.replace(/(could not read this: ).*/s, "$1…")}`;
}

function shortly({ kind, tables, writes, functions, hasWhere }: SqlStatement): string {
  const named = tables.map((table) => (writes.includes(table) ? `!${table}` : table));
  return [kind, ...named, ...functions.map((name) => `${name}()`), ...(hasWhere ? ["where"] : [])].join(" ");
}
