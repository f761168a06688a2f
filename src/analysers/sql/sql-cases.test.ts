import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { RiskTier } from "../../core/risk.js";
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
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
/** Every sentence that people may read, with its tier and code. */
const sentences = readFileSync(new URL("sentences.txt", folder), "utf8").split("\n");
let ran = 0;

for (const file of files) {
  const cases = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Case[];
  describe(`the SQL cases in ${file} (attack C3, seed flaw F-E9)`, () => {
    it.each(cases)(
      "puts $dialect `$sql` at $exactly",
      async ({ sql, dialect, exactly, inspectable = true, findings = [], does = [] }) => {
        const analysis = await analyseSql(sql, dialect);
        expect(analysis).toMatchObject({ riskTier: exactly, inspectable });
        expect([...new Set(analysis.findings.map((found) => found.code))].sort()).toEqual(findings);
        // What is not plainly safe is explained, about parts that are really there.
        if (exactly !== "R0") expect(findings).not.toEqual([]);
        for (const found of analysis.findings) {
          expect(sql).toContain(found.fragment ?? "");
          expect(sentences).toContain(`${found.riskTier} ${found.code}: ${ownWords(found.text)}`);
        }
        expect((await describeSql(sql, dialect)).statements.map(shortly)).toEqual(does);
        ran++;
      },
    );
  });
}

/** What a parser complains about is in its own words. */
function ownWords(sentence: string): string {
  return sentence.replace(/(could not read this: ).*/s, "$1…");
}

function shortly({ kind, tables, writes, functions, hasWhere }: SqlStatement): string {
  const named = tables.map((table) => (writes.includes(table) ? `!${table}` : table));
  return [kind, ...named, ...functions.map((name) => `${name}()`), ...(hasWhere ? ["where"] : [])].join(" ");
}

afterAll(() => {
  console.info(`${ran} SQL cases ran`);
});
