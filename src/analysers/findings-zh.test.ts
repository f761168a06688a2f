import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { RiskTier } from "../core/risk.js";
import { shown } from "../core/text/shown.js";
import { wordsIn } from "../core/words/words.js";

const sentences = ["shell/cases", "sql/data"]
  .map((folder) => readFileSync(new URL(`./${folder}/sentences.txt`, import.meta.url), "utf8"))
  .flatMap((file) => file.trimEnd().split("\n"));

it("says in Chinese whatever the shell and SQL analysers say in English", () => {
  expect(sentences.length).toBeGreaterThan(100);
  for (const sentence of sentences) {
    const [, riskTier, code = ""] = /^(R\d) (\w+): /.exec(sentence) ?? [];
    const said = wordsIn("zh").reason({ code, riskTier: riskTier as RiskTier, text: shown`English` });
    expect(said, sentence).toMatch(/\p{Script=Han}.*。$/u);
  }
});
