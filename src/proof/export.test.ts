import { describe, expect, it } from "vitest";
import { WORKSPACE } from "../../test/proof-fixture.js";
import { newEntry } from "../core/audit.js";
import { newId } from "../core/ids.js";
import { memoryStore } from "../stores/memory.js";
import { exportEntries } from "./export.js";
import { fromLine } from "./lines.js";

const HOSTILE = [
  "line\r\nbreak\u2028and\u2029more",
  '=HYPERLINK("http://evil.example","x")',
  "+1+1",
  "-2+3",
  "@SUM(A1)",
  "\t=1",
  "\u001b[2J\u001b]0;title\u0007",
  "\u009b31m\u007f",
  "\u202egnp.exe",
  'quote " and , comma',
];

async function lines(format: "jsonl" | "csv"): Promise<string[]> {
  const store = memoryStore();
  for (const text of HOSTILE) {
    const entry = { ...newEntry("call.read", "", {}), content: text };
    await store.commit([{ changeId: newId(), workspaceId: WORKSPACE, puts: [], entries: [entry] }]);
  }
  const found: string[] = [];
  for await (const line of exportEntries(store, WORKSPACE, { format })) found.push(line);
  return found;
}

describe("an export of entries", () => {
  it("is one line of printable ASCII per entry, and gives back every byte (attack H5)", async () => {
    const found = await lines("jsonl");
    expect(found).toHaveLength(HOSTILE.length);
    for (const line of found) expect(line).toMatch(/^\{[\x20-\x7e]*\}\n$/);
    expect(found.map((line) => fromLine(JSON.parse(line)).content)).toEqual(HOSTILE);
  });

  it("is as a table free of formulas, line breaks and control characters (attack H5)", async () => {
    const [header, ...rows] = await lines("csv");
    expect(header).toBe('"seq","time","type","ref","content","hash"\r\n');
    expect(rows).toHaveLength(HOSTILE.length);
    for (const row of rows) {
      expect(row).toMatch(/^("([^"\r\n]|"")*",){5}"[0-9a-f]{64}"\r\n$/);
      expect(row.slice(0, -2)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u);
      const cells = row.trimEnd().split(/(?<="),(?=")/);
      for (const cell of cells) expect(cell).not.toMatch(/^"\s*[=+\-@]/);
    }
  });

  it.each([
    ["no object", null],
    ["a missing hash", { workspace: "w", seq: 1, time: 1, type: "t", ref: "", content: null, salt: null }],
    ["a text for a number", { workspace: "w", seq: "1" }],
  ])("does not read %s as an entry", (_, line) => {
    expect(() => fromLine(line)).toThrow("not an entry");
  });
});
