import fc from "fast-check";
import { expect, it } from "vitest";
import type { Applied, Change } from "../../core/ports.js";
import { packAnswers, packGroup, unpackAnswers, unpackGroup } from "./message.js";

/** Few enough to meet again, as ids do within a change. */
const text = fc.oneof(fc.string(), fc.constantFrom("a", "b", "approval.created", ""));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const put = fc.record({
  kind: fc.constantFrom("approval", "call", "grant"),
  id: text,
  version: fc.nat(),
  value: fc.option(text),
  due: maybe(fc.nat()),
  indexes: fc.array(text),
});
const change = fc.record({
  changeId: text,
  workspaceId: text,
  before: maybe(fc.nat()),
  after: maybe(fc.nat()),
  epoch: maybe(fc.nat()),
  tighten: maybe(fc.boolean()),
  paused: maybe(fc.boolean()),
  puts: fc.array(put),
  entries: fc.array(fc.record({ type: text, ref: text, content: text })),
  unique: fc.array(fc.record({ key: text, id: text, until: fc.integer() })),
  counts: fc.array(fc.record({ key: text, add: fc.integer(), max: maybe(fc.nat()), until: maybe(fc.nat()) })),
}) as fc.Arbitrary<Change>;

/** What no rule writes and a host's own code might: it must arrive as it is, to be refused for what it is. */
const misshapen = fc
  .tuple(
    change,
    fc.constantFrom("changeId", "puts", "entries", "unique", "counts"),
    fc.constantFrom(null, 7, "abc", {}),
  )
  .map(([whole, field, value]) => ({ ...whole, [field]: field === "changeId" && value === "abc" ? 0 : value }));

it("gives every group back as it was, misshapen changes too", () => {
  const group = fc.array(fc.oneof({ weight: 4, arbitrary: change }, misshapen as unknown as fc.Arbitrary<Change>));
  fc.assert(
    fc.property(group, (sent) => {
      expect(unpackGroup(structuredClone(packGroup(sent)))).toEqual(sent);
    }),
  );
});

it("gives back what stands in the place of a text, and kinds that nobody knows", () => {
  const whole = { changeId: "c", workspaceId: "w", puts: [], entries: [] };
  const usual = { kind: "approval", id: "i", version: 0, value: "v", indexes: [], due: undefined };
  const entry = { type: "t", ref: "r", content: "" };
  const odd = [
    { ...whole, workspaceId: null },
    { ...whole, puts: [usual, { ...usual, id: null }] },
    { ...whole, puts: [{ ...usual, kind: "another" }] },
    { ...whole, puts: [usual], entries: [{ ...entry, ref: null }] },
    { ...whole, entries: [{ ...entry, type: 0 }] },
    { ...whole, puts: [usual], unique: [{ key: "k", id: null, until: 1 }] },
  ] as unknown as Change[];
  expect(unpackGroup(structuredClone(packGroup(odd)))).toEqual(odd);
});

it("takes no text for a list of indexes", () => {
  const odd = { changeId: "c", workspaceId: "w", puts: [{ indexes: "abc" }], entries: [] } as unknown as Change;
  expect(unpackGroup(packGroup([odd]))).toEqual([odd]);
});

it("gives every answer back as it was", () => {
  const applied = fc.record({ ok: fc.constant(true), time: fc.nat(), seq: fc.nat(), epoch: fc.nat() });
  const refused = fc.record({ ok: fc.constant(false), refused: text, time: fc.nat(), epoch: fc.nat(), key: text });
  const answers = fc.array(fc.oneof(applied, refused)) as unknown as fc.Arbitrary<Applied[]>;
  fc.assert(
    fc.property(answers, (sent) => {
      expect(unpackAnswers(structuredClone(packAnswers(sent)))).toEqual(sent);
    }),
  );
});
