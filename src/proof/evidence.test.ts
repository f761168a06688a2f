import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ANNA, CALLER, manualClock, newFolder, newKey, openGate, WORKSPACE, write } from "../../test/proof-fixture.js";
import type { Store } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { memoryStore } from "../stores/memory.js";
import { createCheckpointer } from "./checkpointer.js";
import { type Evidence, exportEvidence } from "./evidence.js";
import { createRetention } from "./retention.js";
import { createKeyRing, generateSealingKey } from "./seal.js";
import { openerOf, sealedStore } from "./sealed-store.js";
import { verifyEvidence } from "./verify-evidence.js";

const key = newKey();
const KEYS = [key.publicKey];

/** A call in the middle of others: asked, edited by a person, approved, run. */
async function story(seal: (store: Store) => Store = (store) => store) {
  const clock = manualClock();
  const store = seal(memoryStore({ clock }));
  const tool = defineTool<{ to: string }>({ name: "mail.send", confirm: true, execute: () => ({ sent: 1 }) });
  const gate = openGate(store, clock, [tool]);
  await write(store, 30);
  clock.advance(3_600_000);
  await write(store, 5);
  const asked = await gate.submit({ tool: "mail.send", args: { to: "bob" } }, CALLER);
  if (asked.type !== "pending") throw new Error(asked.message);
  const { approvalId, card } = asked;
  await write(store, 4);
  clock.advance(1_000);
  await gate.decide({ approvalId, decision: "approve", toolCallHash: card.toolCallHash, args: { to: "carol" } }, ANNA);
  await gate.resume(approvalId, CALLER, { deadline: 60_000 });
  await write(store, 6);
  const sign = async () => {
    const options = { store, key, clock, sinks: [], workspaces: [WORKSPACE] };
    await (await createCheckpointer(options)).close();
  };
  return { clock, store, approvalId, sign };
}

const parse = (text: string) => JSON.parse(text) as Evidence;

describe("one call's evidence", () => {
  it("proves from the file alone who asked, who decided, what ran and how it ended (attack H6)", async () => {
    const { store, approvalId, sign } = await story();
    await sign();
    const path = join(newFolder(), "evidence.json");
    writeFileSync(path, await exportEvidence(store, approvalId));
    const report = await verifyEvidence(path, KEYS);
    expect(report).toMatchObject({ verdict: "valid", approvalId, signed: { keyId: key.keyId } });
    const approved: unknown = report.facts[2]?.says?.["hash"];
    const told: unknown[] = report.facts.map(({ type, says }) => [type, says]);
    expect(told).toEqual([
      ["approval.created", expect.objectContaining({ tool: "mail.send", for: "anna", agent: "helper", session: "s1" })],
      ["approval.edited", expect.objectContaining({ by: "anna", revision: 2 })],
      ["approval.resolved", expect.objectContaining({ as: "approved", by: "anna", assurance: "host" })],
      ["call.claimed", expect.objectContaining({ hash: approved })],
      ["call.executed", expect.objectContaining({ as: "succeeded", result: expect.stringMatching(/^[\w-]{43}$/) })],
    ]);
    expect(JSON.parse(report.call ?? "")).toMatchObject({
      tool: "mail.send",
      args: { to: "carol" },
      requester: "anna",
    });
  });

  it("holds what other calls said only as hashes, and no more of the chain than it needs", async () => {
    const { store, approvalId, sign } = await story();
    await sign();
    const evidence = parse(await exportEvidence(store, approvalId));
    const others = evidence.entries.filter(({ ref }) => ref !== approvalId);
    expect(others.length).toBeGreaterThan(0);
    for (const entry of others) expect([entry.content, entry.salt]).toEqual([null, null]);
    expect(evidence.after.seq).toBe(35);
    expect(JSON.stringify(evidence)).not.toContain("tokenHash");
  });

  it("says that nothing vouches for it where no checkpoint does", async () => {
    const { store, approvalId, sign } = await story();
    expect(await verifyEvidence(parse(await exportEvidence(store, approvalId)), KEYS)).toMatchObject({
      verdict: "unanchored",
    });
    await sign();
    const early = { checkpoints: [] };
    const report = await verifyEvidence(parse(await exportEvidence(store, approvalId, early)), KEYS);
    expect(report).toMatchObject({ verdict: "unanchored" });
    expect(report).not.toHaveProperty("signed");
  });

  it.each<[what: string, change: (evidence: Evidence) => unknown, problem: string]>([
    [
      "another call",
      (e) => ({ calls: replaced(e.calls, "carol", "mallory") }),
      "entry 41 speaks of another call than the file",
    ],
    [
      "another proposal",
      (e) => ({ calls: replaced(e.calls, "bob", "mallory") }),
      "entry 36 speaks of another call than the file",
    ],
    ["another result", () => ({ result: { sent: 2 } }), "entry 44 speaks of another result than the file"],
    [
      "another decider",
      (e) => ({ entries: replaced(e.entries, '\\"by\\":\\"anna', '\\"by\\":\\"eve') }),
      "entry 41: its content does not match its hash",
    ],
    ["an entry left out", (e) => ({ entries: e.entries.toSpliced(3, 1) }), "entry 39: expected entry 39, found 40"],
    [
      "content left out",
      (e) => ({ entries: e.entries.map((entry) => ({ ...entry, content: null, salt: null })) }),
      "entry 36: its content is missing and no entry says that it was erased",
    ],
    [
      "another beginning",
      (e) => ({ after: { ...e.after, hash: "00".repeat(32) } }),
      "entry 36: it does not follow from the entry before it",
    ],
    ["no beginning", (e) => ({ after: { ...e.after, hash: null } }), "it does not say what it goes on from"],
    ["another workspace", () => ({ workspace: "other" }), "entry 36: it belongs to another workspace"],
    ["another approval", () => ({ approvalId: "other" }), "no entry speaks of this call"],
    [
      "a checkpoint that was changed",
      (e) => ({ checkpoint: e.checkpoint?.replace("epoch 0", "epoch 1") }),
      "A checkpoint cannot be trusted: no key that is trusted here has signed it.",
    ],
    ["another kind of file", () => ({ evidence: "countersign/evidence/v2" }), "this is not an evidence file"],
    [
      "entries that are none",
      () => ({ entries: [null] }),
      "It is not an entry: a field is missing or has another form.",
    ],
  ])("is broken by %s", async (_, change, problem) => {
    const { store, approvalId, sign } = await story();
    await sign();
    const evidence = parse(await exportEvidence(store, approvalId));
    const report = await verifyEvidence({ ...evidence, ...(change(evidence) as object) }, KEYS);
    expect(report).toMatchObject({ verdict: "broken", problem });
  });

  it("is not taken from a key that is not trusted", async () => {
    const { store, approvalId, sign } = await story();
    await sign();
    const evidence = parse(await exportEvidence(store, approvalId));
    expect(await verifyEvidence(evidence, [newKey().publicKey])).toMatchObject({ verdict: "broken" });
  });

  it("of a sealed store is checked without the key, and read with it", async () => {
    const ring = createKeyRing(generateSealingKey());
    const { store, approvalId, sign } = await story((inner) => sealedStore(inner, ring));
    await sign();
    const evidence = parse(await exportEvidence(store, approvalId));
    const closed = await verifyEvidence(evidence, KEYS);
    expect(closed).toMatchObject({ verdict: "valid" });
    expect(closed.facts.every(({ says }) => says === null)).toBe(true);
    const opened = await verifyEvidence(evidence, KEYS, openerOf(ring));
    expect(opened.facts[2]?.says).toMatchObject({ as: "approved", by: "anna" });
    const forged = { ...evidence, calls: replaced(evidence.calls, "carol", "mallory") };
    expect(await verifyEvidence(forged, KEYS, openerOf(ring))).toMatchObject({ verdict: "broken" });
  });

  it("of an erased call still shows that there was one, and when", async () => {
    const { clock, store, approvalId, sign } = await story();
    clock.advance(25 * 3_600_000);
    const retention = createRetention({ store, level: "minimal", workspaces: [WORKSPACE], clock });
    await retention.sweep();
    retention.close();
    await sign();
    const evidence = parse(await exportEvidence(store, approvalId));
    const report = await verifyEvidence(evidence, KEYS);
    expect(report).toMatchObject({ verdict: "valid" });
    expect(report.facts.map(({ says }) => says)).toEqual([null, null, null, null, null]);
    expect(JSON.stringify(evidence)).not.toMatch(/carol|anna/);
    const silent = {
      ...evidence,
      entries: evidence.entries.filter(({ type }) => type !== "content.erased"),
      checkpoint: null,
    };
    expect(await verifyEvidence(silent, KEYS)).toMatchObject({ verdict: "broken" });
  });

  it("does not exist for an approval that does not", async () => {
    await expect(exportEvidence(memoryStore(), "nothing")).rejects.toHaveProperty("code", "not_found");
  });
});

function replaced<T>(value: T, from: string, to: string): T {
  const text = JSON.stringify(value);
  expect(text).toContain(from);
  return JSON.parse(text.replaceAll(from, to)) as T;
}
