import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { atLeast, type RiskTier } from "../../core/risk.js";
import { analyseShell } from "./index.js";

interface Case {
  readonly command: string;
  readonly atLeast?: RiskTier;
  readonly exactly?: RiskTier;
  readonly inspectable?: boolean;
}

const directory = new URL("./cases/", import.meta.url);

function load(name: string): Case[] {
  return JSON.parse(readFileSync(new URL(`${name}.json`, directory), "utf8")) as Case[];
}

/** Every case that is not rated as written down, so that one run shows all of them. */
async function misjudged(cases: readonly Case[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { command, atLeast: floor, exactly, inspectable } of cases) {
    const analysis = await analyseShell(command);
    const tierHolds = exactly
      ? analysis.riskTier === exactly
      : floor !== undefined && atLeast(analysis.riskTier, floor);
    const readable = inspectable === undefined || analysis.inspectable === inspectable;
    if (!tierHolds || !readable) wrong.push(`${analysis.riskTier} ${analysis.inspectable} ${JSON.stringify(command)}`);
  }
  return wrong;
}

describe("shell cases", () => {
  it("finds the destructive command inside every wrapper (attack C2)", async () => {
    const cases = load("wrappers");
    expect(cases.length).toBeGreaterThanOrEqual(80);
    expect(await misjudged(cases)).toEqual([]);
  });

  it("sees through quoting, nesting and everything known only at run time (attacks A2, B6, C3)", async () => {
    expect(await misjudged(load("disguises"))).toEqual([]);
  });

  it("never rates a dangerous command too low (attacks C3, C4)", async () => {
    expect(await misjudged(load("hostile"))).toEqual([]);
  });

  it("asks nobody about ordinary reads and rates ordinary work exactly", async () => {
    expect(await misjudged(load("ordinary"))).toEqual([]);
  });

  it("runs every case file there is", () => {
    const files = readdirSync(directory).sort();
    expect(files).toEqual(["disguises.json", "hostile.json", "ordinary.json", "wrappers.json"]);
  });
});
