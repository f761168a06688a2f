import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { RiskTier } from "../../core/risk.js";
import { analyseSql, type SqlDialect } from "./index.js";

interface Case {
  readonly sql: string;
  readonly dialect: SqlDialect;
  readonly exactly: RiskTier;
  readonly inspectable?: boolean;
  readonly finding?: string;
  readonly attack?: string;
}

const folder = new URL("./data/", import.meta.url);
let ran = 0;

for (const file of readdirSync(folder)) {
  const cases = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Case[];
  describe(`the SQL cases in ${file} (attack C3, seed flaw F-E9)`, () => {
    it.each(cases)(
      "puts $dialect `$sql` at $exactly",
      async ({ sql, dialect, exactly, inspectable = true, finding }) => {
        const analysis = await analyseSql(sql, dialect);
        expect(analysis).toMatchObject({ riskTier: exactly, inspectable });
        if (finding !== undefined) expect(analysis.findings.map((found) => found.code)).toContain(finding);
        // What is not plainly safe is explained, by sentences about parts that are really there.
        if (exactly !== "R0") expect(analysis.findings).not.toEqual([]);
        for (const found of analysis.findings) {
          expect(found.text).toMatch(/^[A-Z("].*[.)]$|npm i /s);
          expect(sql).toContain(found.fragment ?? "");
        }
        ran++;
      },
    );
  });
}

afterAll(() => {
  console.info(`${ran} SQL cases ran`);
});
