import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FIELDS } from "./facts.js";
import { formatPolicyTest, parsePolicy, parsePolicyTest, testPolicy } from "./index.js";

const DOC = readFileSync(new URL("../../docs/policy.md", import.meta.url), "utf8");

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
    const first = DOC.match(/^```yaml\n([\s\S]*?)^```/m)?.[1] ?? "";
    expect(parsePolicy(first).rules).toHaveLength(1);
  });
});
