import { describe, expect, it } from "vitest";
import { cut, StatementNotes, tableName } from "./statement.js";

describe("cut", () => {
  it("keeps the first 400 characters, and no half one", () => {
    expect(cut("a".repeat(400))).toHaveLength(400);
    expect(cut(`${"a".repeat(400)}b`)).toBe("a".repeat(400));
    expect(cut(`${"a".repeat(399)}𝒳`)).toBe("a".repeat(399));
    expect(cut("𝒳b")).toBe("𝒳b");
  });
});

describe("the notes of a statement", () => {
  it("are named by the outermost verb", () => {
    const notes = new StatementNotes("EXPLAIN SELECT 1");
    expect(notes.statement().kind).toBe("unknown");
    notes.name("explain");
    notes.name("select");
    expect(notes.statement().kind).toBe("explain");
  });

  it("speak of the whole statement where no part is given, and of nothing where the part is empty", () => {
    const notes = new StatementNotes("whole");
    notes.add("R1", "a", "A.");
    notes.add("R1", "b", "B.", "part");
    notes.add("R1", "c", "C.", "");
    expect(notes.statement().findings).toEqual([
      { code: "a", riskTier: "R1", text: "A.", fragment: "whole" },
      { code: "b", riskTier: "R1", text: "B.", fragment: "part" },
      { code: "c", riskTier: "R1", text: "C." },
    ]);
  });

  it("hold a finding about the same part once", () => {
    const notes = new StatementNotes("x");
    notes.add("R1", "a", "A.", "1");
    notes.add("R2", "a", "Again.", "1");
    notes.add("R1", "a", "A.", "2");
    expect(notes.statement().findings.map(({ fragment }) => fragment)).toEqual(["1", "2"]);
    expect(notes.statement().riskTier).toBe("R2");
  });

  it("hold fifty findings, and further ones only when they raise the tier", () => {
    const notes = new StatementNotes("x");
    for (let count = 0; count < 51; count++) notes.add("R1", "a", "A.", String(count));
    expect(notes.statement().findings).toHaveLength(50);
    notes.add("R4", "b", "B.");
    notes.add("R3", "c", "C.");
    const { findings, riskTier } = notes.statement();
    expect([findings.length, findings.at(-1)?.code, riskTier]).toEqual([51, "b", "R4"]);
  });
});

describe("tableName", () => {
  it("quotes parts that would be taken for others", () => {
    expect(tableName(["a", "b.c", 'd"e'])).toBe('a."b.c"."d""e"');
  });
});
