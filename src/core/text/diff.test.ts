import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize, type Json } from "../json.js";
import { applyDiff, describeChange, diffJson } from "./diff.js";

const described = (before: Json, after: Json): readonly string[] =>
  diffJson(before, after).map((change) => describeChange(change));

const key = fc.oneof(
  fc.constantFrom("to", "cc", "body", "a.b", "0", ""),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);
const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, false, 0, -0, 1, "", " ", "a", "a ", "A", "é", "e\u0301", "1"),
    fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 }),
    fc.string({ unit: "grapheme", maxLength: 4 }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(
      key.filter((name) => name !== "__proto__"),
      tie("value"),
      { maxKeys: 5 },
    ),
  ),
})).value;

/** An edit as people make them: some parts kept, some dropped, doubled, changed or moved. */
function edited(value: Json, random: () => number): Json {
  const dice = Math.floor(random() * 8);
  if (dice === 0) return [null, 1, "new", { added: [1] }][Math.floor(random() * 4)] as Json;
  if (Array.isArray(value)) {
    const items = value.flatMap((item: Json) => {
      if (dice === 1 && random() < 0.4) return [];
      return dice === 2 && random() < 0.4 ? [item, edited(item, random)] : [edited(item, random)];
    });
    return dice === 3 ? items.reverse() : items;
  }
  if (typeof value === "object" && value !== null) {
    const kept = Object.entries(value).filter(() => dice !== 1 || random() < 0.6);
    const members = kept.map(([name, item]): [string, Json] => [name, edited(item, random)]);
    return Object.fromEntries(dice === 3 ? [...members.reverse(), ["extra", 1]] : members.reverse());
  }
  return typeof value === "string" && dice === 2 ? `${value} ` : value;
}

describe("diffJson", () => {
  it("attack A14: applied to the original, gives the edited canonical bytes exactly", () => {
    const pair = fc.oneof(
      fc.tuple(anyJson, anyJson),
      fc
        .tuple(anyJson, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })))
        .map(([before, stream]): [Json, Json] => {
          return [before, edited(before, () => stream.next().value ?? 0)];
        }),
    );
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const original = canonicalize(before);
        const changes = diffJson(before, after);
        expect(canonicalize(applyDiff(before, changes))).toBe(canonicalize(after));
        expect(canonicalize(before)).toBe(original);
        // a diff that is empty, or silent about a difference, would be the lie
        expect(changes.length === 0).toBe(original === canonicalize(after));
      }),
      { numRuns: 5_000 },
    );
  });

  it("attack A14: sees changes of blanks alone, and none in the order of keys", () => {
    expect(described({ cmd: "ls" }, { cmd: "ls " })).toEqual(["cmd: ls → ls⟨1 space⟩"]);
    expect(described({ cmd: "a b" }, { cmd: "a\u00a0b" })).toEqual(["cmd: a b → a\\u{a0}b"]);
    expect(described({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([]);
    expect(described({ name: "é" }, { name: "e\u0301" })).toEqual(["name: é → e\\u{301}"]);
    expect(described([0], [-0])).toEqual([]);
  });

  it("shows removals and additions in lists as such, by the places of the original", () => {
    expect(described({ to: ["a", "b", "c", "d"] }, { to: ["b", "d"] })).toEqual([
      "to[2]: removed c",
      "to[0]: removed a",
    ]);
    expect(described(["a"], ["a", "b", "c"])).toEqual(["[1]: added b", "[2]: added c"]);
    expect(described([{ id: 1, n: 1 }, 2], [{ id: 1, n: 5 }, 2])).toEqual(["[0].n: 1 → 5"]);
  });

  it("stays exact on lists too long for the longest common subsequence", () => {
    const before = Array.from({ length: 3_000 }, (_, index) => index);
    const after = before.filter((item) => item % 3 !== 0).reverse();
    expect(applyDiff(before, diffJson(before, after))).toEqual(after);
  });

  it("compares as many objects of a list as there are", () => {
    const rows = (first: number) => Array.from({ length: 200 }, (_, index) => ({ id: first + index }));
    expect(described(rows(0), [...rows(0).slice(0, 150), ...rows(0).slice(151)])).toEqual([
      `[150]: removed {"id": 150}`,
    ]);
    expect(applyDiff(rows(0), diffJson(rows(0), rows(500)))).toEqual(rows(500));
  });

  it("replaces the root when nothing is shared", () => {
    expect(described({ a: 1 }, [1])).toEqual(['the whole value: {"a": 1} → [1]']);
  });

  it("treats names that every object inherits as absent", () => {
    expect(described({}, { constructor: 1, toString: 2 })).toEqual(["constructor: added 1", "toString: added 2"]);
  });
});

describe("describeChange", () => {
  it("tells a text from a number, and our arrow from theirs", () => {
    expect(described({ n: "1" }, { n: 1 })).toEqual(['n: "1" → 1']);
    expect(described({ to: "a@x" }, { to: "b@x" })).toEqual(["to: a@x → b@x"]);
    expect(described({ to: "a → b" }, { to: "" })).toEqual(['to: "a → b" → ""']);
    expect(described({ to: 'x"y\\' }, { to: ["\u202e"] })).toEqual(['to: "x\\u{22}y\\\\" → ["\\u{202e}"]']);
  });

  it("keeps paths apart that a careless label would merge", () => {
    expect(described({}, { "a.b": 1, a: { b: 1 } })).toEqual(['a: added {"b": 1}', '["a.b"]: added 1']);
    expect(described({ a: { "b\u200b": 1 } }, { a: { "b\u200b": 2 } })).toEqual(['a["b\\u{200b}"]: 1 → 2']);
  });
});

describe("applyDiff", () => {
  it.each<[string, Json, Parameters<typeof applyDiff>[1][number]]>([
    ["a value that is no longer there", { a: 1 }, { type: "replace", path: ["a"], before: 2, after: 3 }],
    ["a key that is missing", {}, { type: "remove", path: ["a"], before: 1 }],
    ["a parent that is missing", {}, { type: "add", path: ["a", "b"], after: 1 }],
    ["a key that is there already", { a: 1 }, { type: "add", path: ["a"], after: 1 }],
    ["a place beyond the list", [1], { type: "add", path: [3], after: 1 }],
    ["a name in a list", [1], { type: "add", path: ["length"], after: 1 }],
    ["an inherited name", {}, { type: "remove", path: ["toString"], before: null }],
    ["a second root", 1, { type: "add", path: [], after: 2 }],
  ])("refuses %s", (_, before, change) => {
    expect(() => applyDiff(before, [change])).toThrow("does not fit");
  });
});
