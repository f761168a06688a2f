import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { contentAnalyser } from "../analysers/index.js";
import { LOCAL_CALLER } from "../core/call.js";
import { defineTool } from "../core/tool.js";
import { createGate } from "../create-gate.js";
import { memoryStore } from "../stores/memory.js";
import { FIELDS } from "./facts.js";
import {
  formatPolicyTest,
  gatePolicy,
  loadPolicy as load,
  type PolicyEvent,
  parsePolicy,
  parsePolicyTest,
  testPolicy,
  watchPolicy as watch,
} from "./index.js";

const page = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const DOC = page("../../docs/policy.md");
const ASKING_LESS = page("../../docs/asking-less.md");

/** The first block of a language. */
function fenced(text: string, language: string): string {
  return text.match(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m"))?.[1] ?? "";
}

/** What a page shows, apart from its imports, stands in this file and so is run. */
function expectQuoted(code: string): void {
  const lines = code.split("\n").filter((line) => line !== "" && !line.startsWith("import "));
  expect(lines.length).toBeGreaterThan(0);
  const own = page("./docs.test.ts");
  for (const line of lines) expect(own).toContain(line);
}

const folder = mkdtempSync(join(tmpdir(), "countersign-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The functions that read files, in a folder where the policy of a page is the one that they find. */
function files(text: string) {
  writeFileSync(join(folder, "countersign.policy.yaml"), text);
  return {
    loadPolicy: (name: string) => load(join(folder, name)),
    watchPolicy: (name: string, onEvent: (event: PolicyEvent) => void) => watch(join(folder, name), onEvent),
  };
}

/** Each numbered section with its two blocks, padded so that a failure names the line of the document. */
const examples = [...DOC.matchAll(/^### (\d+\. .+)$/gm)].map((match) => {
  const start = match.index;
  const end = DOC.indexOf("\n##", start + 1);
  return { title: match[1] as string, start, text: DOC.slice(start, end === -1 ? undefined : end) };
});

function block(example: (typeof examples)[number], kind: "policy" | "test"): string {
  const found = example.text.match(new RegExp(`^\`\`\`yaml\\n# ${kind}\\n([\\s\\S]*?)^\`\`\``, "m"));
  if (found?.[1] === undefined) throw new Error(`${example.title} has no ${kind}.`);
  const before = DOC.slice(0, DOC.indexOf(found[0], example.start)).split("\n").length + 1;
  return "\n".repeat(before) + found[1];
}

describe("the policy reference", () => {
  it("has ten worked examples", () => {
    expect(examples).toHaveLength(10);
  });

  it.each(examples)("example $title passes its test table, which touches every rule", (example) => {
    const policy = parsePolicy(block(example, "policy"), "docs/policy.md");
    const result = testPolicy(policy, parsePolicyTest(block(example, "test"), "docs/policy.md"));
    expect(result.passed, formatPolicyTest(result)).toBe(true);
    expect(result.untested).toEqual([]);
  });

  it("lists every field that a condition may name, and no other", () => {
    const table = DOC.slice(DOC.search(/^\| Field/m), DOC.indexOf("Operators are those"));
    expect([...table.matchAll(/^\| `(\w+)` *\|/gm)].map((row) => row[1])).toEqual(Object.keys(FIELDS));
  });

  it("begins with a policy that loads", () => {
    expect(parsePolicy(fenced(DOC, "yaml")).rules).toHaveLength(1);
  });

  it("shows how a gate is given a policy, with code that runs", async () => {
    const { watchPolicy } = files(fenced(DOC, "yaml"));
    const tools = [defineTool({ name: "bank.transfer" })];
    const policy = watchPolicy("countersign.policy.yaml", (event) => console.error(event.type, event));
    const gate = createGate({ store: memoryStore(), tools, ...gatePolicy(policy.current) });
    expectQuoted(fenced(DOC, "ts"));
    expect((await gate.submit({ tool: "bank.transfer", args: { amount: 101 } })).type).toBe("pending");
    const [created] = await gate.store.entries(LOCAL_CALLER.workspaceId, 0, 1);
    expect(JSON.parse(created?.content ?? "")).toMatchObject({ rules: ["big-transfer"] });
    policy.close();
    await gate.close();
  });
});

describe("the page on asking less", () => {
  const part = ASKING_LESS.slice(ASKING_LESS.indexOf("`gatePolicy` hands it over"));

  it("shows how a gate is given a policy, with code that runs", async () => {
    const { loadPolicy } = files(fenced(part, "yaml"));
    const store = memoryStore();
    const tools = [defineTool({ name: "shop.fill", riskTier: "R1", cost: 60, execute: () => "done" })];
    const policy = loadPolicy("countersign.policy.yaml");
    const gate = createGate({ store, tools, ...gatePolicy(policy), analysers: [contentAnalyser()] });
    expectQuoted(fenced(part, "ts"));
    const outcomes: string[] = [];
    for (let item = 0; item < 9; item++) outcomes.push((await gate.submit({ tool: "shop.fill", args: { item } })).type);
    // Eight times 60 are within the 500 of a day.
    expect(outcomes).toEqual([...Array<string>(8).fill("succeeded"), "pending"]);
    await gate.close();
  });
});
