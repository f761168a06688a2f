import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { atLeast, type Finding, type RiskTier } from "../../core/risk.js";
import { analyseShell } from "./index.js";

interface Case {
  readonly command: string;
  readonly atLeast?: RiskTier;
  readonly exactly?: RiskTier;
  readonly inspectable?: boolean;
  /** The codes of all findings, sorted, each once. */
  readonly codes?: readonly string[];
}

const directory = new URL("./cases/", import.meta.url);
/** Every sentence that people may read, with its tier and code. */
const sentences = readFileSync(new URL("sentences.txt", directory), "utf8").split("\n");

function load(name: string): Case[] {
  return JSON.parse(readFileSync(new URL(`${name}.json`, directory), "utf8")) as Case[];
}

/** Cases that are not rated as written down: several, so that one run shows what they have in common. */
async function misjudged(cases: readonly Case[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { command, atLeast: floor, exactly, inspectable, codes: expected = [] } of cases) {
    const { riskTier, inspectable: readable, findings } = await analyseShell(command);
    const tierHolds = exactly ? riskTier === exactly : floor !== undefined && atLeast(riskTier, floor);
    const codes = [...new Set(findings.map(({ code }) => code))].sort();
    const unsaid = findings.filter((finding) => !isWrittenDown(finding, command)).map(({ text }) => text);
    if (
      !tierHolds ||
      readable !== (inspectable ?? !expected.includes("cannot_inspect")) ||
      codes.join() !== expected.join() ||
      unsaid.length > 0
    )
      wrong.push(`${riskTier} ${readable} ${codes.join()} ${JSON.stringify(command)} ${unsaid.join(" ")}`);
    if (wrong.length === 10) break;
  }
  return wrong;
}

async function codesOf(command: string): Promise<string> {
  const { findings } = await analyseShell(command);
  return [...new Set(findings.map(({ code }) => code))].sort().join(" ");
}

/** The sentence is one that is written down, and its subject and fragment are really there. */
function isWrittenDown({ code, riskTier, text, fragment }: Finding, command: string): boolean {
  const subject = /^"(.*?)"(?= |$)/s.exec(text)?.[1];
  const sentence = text
    .replace(/^".*" (may become an option that changes what) ".*" does\.$/s, "“” $1 “” does.")
    .replace(/".*"/s, "“”")
    .replace(/(not a complete shell command: ).*/s, "$1…");
  return (
    sentences.includes(`${riskTier} ${code}: ${sentence}`) &&
    subject !== "" &&
    fragment !== "" &&
    // A script inside a script is read without the backslashes that it was written with.
    (command.includes(fragment ?? "") || command.includes("\\"))
  );
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

  it("knows of every listed program, subcommand and option what it does", async () => {
    const lists = readFileSync(new URL("programs.txt", directory), "utf8").trimEnd().split("\n\n");
    for (const list of lists) {
      const [heading, ...commands] = list.split("\n");
      const codes = heading === "# looks" ? "" : heading?.slice(2);
      for (const command of commands) if ((await codesOf(command)) !== codes) expect.fail(`${command} is not ${codes}`);
    }
  });

  it("runs every case file there is", () => {
    const files = readdirSync(directory).filter((file) => file.endsWith(".json"));
    expect(files.sort()).toEqual(["disguises.json", "hostile.json", "ordinary.json", "wrappers.json"]);
  });
});
