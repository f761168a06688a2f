import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { all, newFolder, newKey, WORKSPACE, write } from "../../test/proof-fixture.js";
import { contentHash, ERASED, genesis, linkHash, newEntry } from "../core/audit.js";
import type { Entry, Store } from "../core/ports.js";
import { memoryStore } from "../stores/memory.js";
import { signCheckpoint } from "./checkpoint.js";
import { exportEntries } from "./export.js";
import { verifyExport } from "./verify.js";

const LONG = process.env["COUNTERSIGN_LONG"] === "1";
const SEED = process.env["COUNTERSIGN_SEED"];
const seeded = SEED === undefined ? {} : { seed: Number(SEED) };
const key = newKey();

async function erase(store: Store, ...seqs: number[]): Promise<void> {
  await store.erase({ workspaceId: WORKSPACE, seqs }, newEntry(ERASED, "", { seqs }));
}

const noteOf = async (store: Store) => signCheckpoint(await store.checkpoint(WORKSPACE), 1, key);

let entries: Entry[];
let note: string;
let store: Store;

beforeAll(async () => {
  store = memoryStore();
  await write(store, 20);
  await erase(store, 3, 4, 11);
  await write(store, 4);
  entries = await all(store);
  note = await noteOf(store);
});

const trust = (...checkpoints: string[]) => ({ checkpoints, publicKeys: [key.publicKey] });
const check = (chain: readonly Entry[], ...notes: string[]) => verifyExport(chain, WORKSPACE, trust(...notes));

/** What whoever owns the database, but no key, can do: every hash made anew. */
function relinked(chain: readonly Entry[]): Entry[] {
  let hash = genesis(WORKSPACE);
  return chain.map((entry, index) => {
    const content = entry.salt === null ? entry.contentHash : contentHash(entry.salt, entry.content ?? "");
    const placed = { ...entry, seq: index + 1, contentHash: content };
    hash = linkHash(hash, placed, content);
    return { ...placed, hash };
  });
}

describe("an export", () => {
  it("is valid when a checkpoint vouches for all of it", async () => {
    expect(await check(entries, note)).toEqual({
      verdict: "valid",
      workspaceId: WORKSPACE,
      entries: 25,
      anchoredTo: 25,
    });
  });

  it("is verified from the file alone, also in the last of many lines", async () => {
    const path = join(newFolder(), "export.jsonl");
    let text = "";
    for await (const line of exportEntries(store, WORKSPACE)) text += line;
    writeFileSync(path, text);
    expect(await verifyExport(path, WORKSPACE, trust(note))).toMatchObject({ verdict: "valid", entries: 25 });
    writeFileSync(path, `${text.slice(0, -20)}\n`);
    expect(await verifyExport(path, WORKSPACE, trust(note))).toMatchObject({ verdict: "broken", problem: { seq: 25 } });
    writeFileSync(path, text.replace('"seq":7', '"seq":"7"'));
    expect(await verifyExport(path, WORKSPACE, trust(note))).toMatchObject({ verdict: "broken", problem: { seq: 7 } });
  });

  it("is not called valid where no checkpoint reaches (attack H2)", async () => {
    expect(await check(entries)).toMatchObject({ verdict: "unanchored", unanchored: { from: 1, to: 25 } });
    const early = memoryStore();
    await write(early, 5);
    const half = await noteOf(early);
    await write(early, 5);
    expect(await check(await all(early), half)).toMatchObject({
      verdict: "unanchored",
      anchoredTo: 5,
      unanchored: { from: 6, to: 10 },
    });
  });

  it.each([1, 2, 10, 25])("shows that its last %i entries were cut off (attack H2)", async (cut) => {
    const report = await check(entries.slice(0, -cut), note);
    expect(report).toMatchObject({ verdict: "broken", problem: { seq: 26 - cut } });
    expect(report.problem?.text).toContain("known to exist and are missing");
  });

  it("shows that it was rewritten from any entry on, with every hash made anew (attack H3)", async () => {
    for (const index of entries.keys()) {
      const other = newEntry("call.read", "forged", { forged: true });
      const forged = relinked(entries.map((entry, at) => (at === index ? { ...entry, ...other } : entry)));
      expect((await check(forged)).verdict).not.toBe("valid");
      expect(await check(forged, note)).toMatchObject({ verdict: "broken" });
    }
  });

  it("shows two histories that were told to two auditors (attack H4)", async () => {
    const other = memoryStore();
    await write(other, 25);
    const second = await noteOf(other);
    for (const chain of [entries, await all(other)]) {
      const report = await check(chain, note, second);
      expect(report).toMatchObject({ verdict: "broken", problem: { seq: 25 } });
      expect(report.problem?.text).toContain("cannot belong to one history");
    }
    await write(other, 1);
    const later = await noteOf(other);
    expect(await check(entries, note, later)).toMatchObject({ verdict: "broken" });
    expect(await check(await all(other), note, later)).toMatchObject({ verdict: "broken", problem: { seq: 25 } });
  });

  it("shows content that is missing although no entry says that it was erased", async () => {
    const robbed = entries.map((entry) => (entry.seq === 9 ? { ...entry, content: null, salt: null } : entry));
    expect(await check(robbed, note)).toMatchObject({ verdict: "broken", problem: { seq: 9 } });
  });

  it("does not take words that were put where content was erased", async () => {
    const forged = entries.map((entry) => (entry.seq === 3 ? { ...entry, content: '{"forged":true}' } : entry));
    expect(await check(forged, note)).toMatchObject({ verdict: "broken", problem: { seq: 3 } });
  });

  it("does not take a checkpoint that nobody trusted has signed, or of another workspace", async () => {
    const stranger = signCheckpoint(await store.checkpoint(WORKSPACE), 1, newKey());
    expect(await check(entries, stranger)).toMatchObject({ verdict: "broken" });
    const elsewhere = memoryStore();
    await write(elsewhere, 25, "elsewhere");
    const foreign = signCheckpoint(await elsewhere.checkpoint("elsewhere"), 1, key);
    expect(await check(entries, foreign)).toMatchObject({ verdict: "unanchored" });
  });

  it("shows every single mutation of its entries (attack H1)", async () => {
    const index = fc.nat(entries.length - 1);
    const byte = fc.tuple(fc.nat(31), fc.integer({ min: 1, max: 255 }));
    const flip = (bytes: Uint8Array, [at, mask]: [number, number]) => bytes.map((b, i) => (i === at ? b ^ mask : b));
    const change = (at: number, part: (entry: Entry) => Partial<Entry>) =>
      entries.map((entry, i) => (i === at ? { ...entry, ...part(entry) } : entry));
    const replaceAt = (text: string, at: number, unit: string) =>
      text.slice(0, at % text.length) + unit + text.slice((at % text.length) + 1);
    const mutation = fc.oneof(
      fc.tuple(index, byte).map(([i, b]) => change(i, (e) => ({ hash: flip(e.hash, b) }))),
      fc.tuple(index, byte).map(([i, b]) => change(i, (e) => ({ contentHash: flip(e.contentHash, b) }))),
      fc.tuple(index, byte).map(([i, b]) => change(i, (e) => (e.salt === null ? {} : { salt: flip(e.salt, b) }))),
      fc
        .tuple(index, fc.nat(500), fc.string({ unit: "binary", minLength: 0, maxLength: 2 }))
        .map(([i, at, unit]) =>
          change(i, (e) => (e.content === null ? {} : { content: replaceAt(e.content, at, unit) })),
        ),
      fc.tuple(index, fc.integer()).map(([i, time]) => change(i, () => ({ time }))),
      fc.tuple(index, fc.integer()).map(([i, seq]) => change(i, () => ({ seq }))),
      fc.tuple(index, fc.string()).map(([i, type]) => change(i, () => ({ type }))),
      fc.tuple(index, fc.string({ unit: "binary" })).map(([i, ref]) => change(i, () => ({ ref }))),
      fc.tuple(index, fc.string()).map(([i, workspaceId]) => change(i, () => ({ workspaceId }))),
      index.map((i) => change(i, () => ({ content: null, salt: null }))),
      fc.tuple(index, fc.string()).map(([i, content]) => change(i, () => ({ content, salt: null }))),
      index.map((i) => entries.toSpliced(i, 1)),
      fc.tuple(index, index).map(([i, j]) => entries.toSpliced(i, 0, entries[j] as Entry)),
      fc.tuple(index, index).map(([i, j]) => entries.with(i, entries[j] as Entry).with(j, entries[i] as Entry)),
      index.map((i) => entries.slice(0, i)),
      fc.tuple(index, fc.boolean()).map(([i]) => relinked(entries.toSpliced(i, 1))),
      fc.tuple(index, fc.string()).map(([i, ref]) => relinked(change(i, (e) => ({ ref: `${e.ref}${ref}.` })))),
    );
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(mutation, async (mutated) => {
        if (same(mutated, entries)) return;
        changed++;
        expect((await check(mutated, note)).verdict).toBe("broken");
      }),
      { numRuns: LONG ? 125_000 : 2_500, ...seeded },
    );
    expect(changed).toBeGreaterThanOrEqual(LONG ? 100_000 : 2_000);
  }, 600_000);

  it("holds after many random erasures, and nothing else than those is missing", async () => {
    const erasures = LONG ? 1_000 : 150;
    const many = memoryStore();
    await write(many, erasures * 2);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: erasures * 2 }), { maxLength: 5 }), async (seqs) => {
        await erase(many, ...seqs);
      }),
      { numRuns: erasures, ...seeded },
    );
    const kept = await all(many);
    expect(kept).toHaveLength(erasures * 3);
    expect(await check(kept, await noteOf(many))).toMatchObject({ verdict: "valid", entries: erasures * 3 });
    const named = new Set(
      kept.flatMap(({ type, content }) =>
        type === ERASED ? (JSON.parse(content ?? "") as { seqs: number[] }).seqs : [],
      ),
    );
    expect(kept.filter(({ content }) => content === null).map(({ seq }) => seq)).toEqual(
      [...named].filter((seq) => seq <= erasures * 2).sort((a, b) => a - b),
    );
  });
});

function same(a: readonly Entry[], b: readonly Entry[]): boolean {
  const equal = (x: Uint8Array | null, y: Uint8Array | null) => (x && y ? Buffer.compare(x, y) === 0 : x === y);
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const two = b[index] as Entry;
      const fields = (["workspaceId", "seq", "time", "type", "ref", "content"] as const).every(
        (k) => one[k] === two[k],
      );
      return (
        fields && equal(one.salt, two.salt) && equal(one.hash, two.hash) && equal(one.contentHash, two.contentHash)
      );
    })
  );
}
