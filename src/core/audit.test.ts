import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERASED, genesis, linkHash, newEntry, verifyChain } from "./audit.js";
import { sha256 } from "./ids.js";
import type { Entry } from "./ports.js";

/** A chain as a store links it. */
function chainOf(contents: readonly { type?: string; content: Record<string, unknown> }[], workspaceId = "w"): Entry[] {
  let hash = genesis(workspaceId);
  return contents.map(({ type = "call.read", content }, index) => {
    const { ref, content: text } = newEntry(type, `r${index}`, content as never);
    const salt = randomBytes(32);
    const contentHash = sha256(salt, text);
    const placed = { workspaceId, seq: index + 1, time: 1_000 + index, type, ref };
    hash = linkHash(hash, placed, contentHash);
    return { ...placed, content: text, salt, contentHash, hash };
  });
}

const plain = (length: number) => chainOf(Array.from({ length }, (_, index) => ({ content: { index } })));
const renumbered = (entries: readonly Entry[]) => entries.map((entry, index) => ({ ...entry, seq: index + 1 }));
const headOf = (entries: readonly Entry[]) => {
  const { seq, hash } = entries.at(-1) as Entry;
  return { seq, hash };
};

describe("verifyChain", () => {
  it("invariant I7: holds for what was written, and for nothing at all", () => {
    const chain = plain(20);
    expect(verifyChain("w", chain, [headOf(chain)])).toMatchObject({ ok: true, seq: 20 });
    expect(verifyChain("w", [])).toMatchObject({ ok: true, seq: 0 });
  });

  it("finds any change of any field of any entry", () => {
    const chain = plain(6);
    const change = fc.constantFrom<(entry: Entry) => Partial<Entry>>(
      (entry) => ({ type: `${entry.type}x` }),
      (entry) => ({ ref: `${entry.ref}x` }),
      (entry) => ({ time: entry.time + 1 }),
      (entry) => ({ time: entry.time - 1 }),
      (entry) => ({ content: `${entry.content} ` }),
      () => ({ content: "{}" }),
      () => ({ salt: randomBytes(32) }),
      () => ({ contentHash: randomBytes(32) }),
      () => ({ hash: randomBytes(32) }),
      () => ({ workspaceId: "v" }),
      (entry) => ({ type: entry.type.slice(0, -1), ref: `${entry.type.at(-1)}${entry.ref}` }),
    );
    fc.assert(
      fc.property(fc.nat(5), change, (index, alter) => {
        const altered = chain.map((entry, at) => (at === index ? { ...entry, ...alter(entry) } : entry));
        expect(verifyChain("w", altered, [headOf(chain)])).toMatchObject({ ok: false });
      }),
    );
  });

  it("finds removed, inserted, doubled and reordered entries, also when they are renumbered", () => {
    const chain = plain(8);
    fc.assert(
      fc.property(fc.nat(7), fc.nat(7), fc.boolean(), (from, to, renumber) => {
        const finish = (entries: Entry[]) => (renumber ? renumbered(entries) : entries);
        const bad: Entry[][] = [
          [...chain.slice(0, from + 1), ...chain.slice(from)],
          [...chain.slice(0, from), chain[to] as Entry, ...chain.slice(from)],
        ];
        if (from < 7) bad.push(chain.filter((_, index) => index !== from));
        if (from !== to) {
          const swapped = [...chain];
          [swapped[from], swapped[to]] = [chain[to] as Entry, chain[from] as Entry];
          bad.push(swapped);
        }
        for (const entries of bad)
          expect(verifyChain("w", finish(entries), [headOf(chain)])).toMatchObject({ ok: false });
      }),
    );
  });

  it("finds a chain that was cut off at its end, or rewritten from its start, by a point known from elsewhere", () => {
    const chain = plain(8);
    expect(verifyChain("w", chain.slice(0, 5))).toMatchObject({ ok: true });
    expect(verifyChain("w", chain.slice(0, 5), [headOf(chain)])).toMatchObject({ ok: false, seq: 6 });
    expect(verifyChain("w", [], [headOf(chain)])).toMatchObject({ ok: false, seq: 1 });
    expect(verifyChain("w", plain(8), [headOf(chain)])).toMatchObject({ ok: false, seq: 8 });
  });

  it("finds a chain of another workspace", () => {
    const foreign = chainOf([{ content: {} }], "v");
    expect(verifyChain("w", foreign)).toMatchObject({ ok: false, seq: 1 });
    expect(
      verifyChain(
        "w",
        foreign.map((entry) => ({ ...entry, workspaceId: "w" })),
      ),
    ).toMatchObject({ ok: false, seq: 1 });
  });

  it("is checked against as many points as a year of checkpoints has", () => {
    const [first, ...rest] = plain(3);
    const points = Array.from({ length: 500_000 }, () => ({ seq: 1, hash: first?.hash ?? new Uint8Array() }));
    expect(verifyChain("w", [first, ...rest] as Entry[], points)).toMatchObject({ ok: true, seq: 3 });
    const beyond = points.map((point, index) => ({ ...point, seq: index + 1 }));
    expect(verifyChain("w", [first] as Entry[], beyond)).toEqual({
      ok: false,
      seq: 2,
      problem: "entries up to 500000 are known to exist and are missing",
    });
  });

  it("says which entry is wrong, and in words", () => {
    const chain = plain(3);
    const altered = chain.map((entry, index) => (index === 1 ? { ...entry, content: "{}" } : entry));
    expect(verifyChain("w", altered)).toEqual({ ok: false, seq: 2, problem: "its content does not match its hash" });
  });
});

describe("erased content", () => {
  const erasing = (seqs: unknown) =>
    chainOf([{ content: { name: "Ann" } }, { content: { name: "Bob" } }, { type: ERASED, content: { seqs } }]);
  const without = (chain: readonly Entry[], ...indexes: number[]) =>
    chain.map((entry, index) => (indexes.includes(index) ? { ...entry, content: null, salt: null } : entry));

  it("verifies when an entry after it says so", () => {
    expect(verifyChain("w", without(erasing([1, 2]), 0, 1))).toMatchObject({ ok: true });
  });

  it("does not verify when nothing says so, or something else, or the erasure itself is gone", () => {
    expect(verifyChain("w", without(plain(3), 1))).toMatchObject({ ok: false, seq: 2 });
    expect(verifyChain("w", without(erasing([1]), 0, 1))).toMatchObject({ ok: false, seq: 2 });
    expect(verifyChain("w", without(erasing([1, 2]), 0, 1, 2))).toMatchObject({ ok: false, seq: 1 });
    expect(verifyChain("w", without(erasing("all"), 0))).toMatchObject({ ok: false });
    expect(verifyChain("w", without(erasing([3]), 2))).toMatchObject({ ok: false, seq: 3 });
  });

  it("cannot be announced beforehand: an erasure speaks only of what stands before it", () => {
    const chain = chainOf([{ type: ERASED, content: { seqs: [2] } }, { content: {} }]);
    expect(verifyChain("w", without(chain, 1))).toMatchObject({ ok: false, seq: 2 });
  });

  it("with half of it left is still missing", () => {
    const half = plain(2).map((entry) => ({ ...entry, salt: null }));
    expect(verifyChain("w", half)).toMatchObject({ ok: false });
  });
});

describe("newEntry", () => {
  it("writes canonical content and leaves out what is undefined", () => {
    expect(newEntry("call.read", "r", { b: 1, a: undefined, c: null })).toMatchObject({ content: '{"b":1,"c":null}' });
  });
});
