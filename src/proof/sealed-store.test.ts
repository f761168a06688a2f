import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  ANNA,
  all,
  CALLER,
  manualClock,
  newFolder,
  newKey,
  openGate,
  WORKSPACE,
  write,
} from "../../test/proof-fixture.js";
import { historyIndex, instanceIndex, personIndex, unknownIndex } from "../core/approval.js";
import { ERASED, newEntry, verifyChain } from "../core/audit.js";
import { systemClock } from "../core/clock.js";
import { decodeApproval, encodeApproval } from "../core/codec.js";
import { newId } from "../core/ids.js";
import { createPendingActionStore } from "../core/pending-actions.js";
import type { Change, Notice, Store } from "../core/ports.js";
import { type AnyTool, defineTool } from "../core/tool.js";
import { memoryStore } from "../stores/memory.js";
import { openDatabase } from "../stores/sqlite/driver.js";
import { sqliteStore } from "../stores/sqlite.js";
import { signCheckpoint } from "./checkpoint.js";
import { createKeyRing, generateSealingKey } from "./seal.js";
import { sealedStore } from "./sealed-store.js";
import { verifyExport } from "./verify.js";

const OLD = generateSealingKey();
const NEW = generateSealingKey();
const SECRET = "tulip-4711";

const change = (part: Partial<Change>): Change => ({
  changeId: newId(),
  workspaceId: WORKSPACE,
  puts: [],
  entries: [],
  ...part,
});
const put = (value: string, version = 0, id = "a") => ({
  kind: "call" as const,
  id,
  version,
  value,
  indexes: ["i"],
  due: 1,
});

function setUp() {
  const clock = manualClock();
  const inner = memoryStore({ clock });
  return { inner, store: sealedStore(inner, createKeyRing(OLD)) };
}

describe("a key ring", () => {
  it("seals the same text differently each time, for one place only", () => {
    const ring = createKeyRing([OLD]);
    const [one, two] = [ring.seal(SECRET, ["a", "b"]), ring.seal(SECRET, ["a", "b"])];
    expect(one).not.toBe(two);
    expect(one).not.toContain(SECRET);
    expect(ring.open(one, ["a", "b"])).toBe(SECRET);
    for (const place of [["a", "c"], ["ab"], ["a,b"], []])
      expect(() => ring.open(one, place)).toThrow("belongs to another place");
  });

  it("does not open what was changed in any character", () => {
    const ring = createKeyRing(OLD);
    const sealed = ring.seal("value", []);
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === "A" ? "B" : "A";
      expect(() => ring.open(sealed.slice(0, at) + other + sealed.slice(at + 1), [])).toThrow(/sealed/);
    }
    expect(() => ring.open(sealed.slice(0, -8), [])).toThrow("was changed");
  });

  it("seals with its newest key and opens with all; a key that is missing is named", () => {
    const before = createKeyRing(OLD).seal(SECRET, []);
    const rotated = createKeyRing(`${OLD}\n${NEW}\n`);
    expect(rotated.open(before, [])).toBe(SECRET);
    const after = rotated.seal(SECRET, []);
    expect(createKeyRing([NEW]).open(after, [])).toBe(SECRET);
    expect(() => createKeyRing([OLD]).open(after, [])).toThrow(/sealed with the key [0-9a-f]{16}, which is not here/);
    expect(() => createKeyRing("")).toThrow("at least one key");
    expect(() => createKeyRing("c2hvcnQ=")).toThrow("32 bytes");
  });
});

describe("a sealed store", () => {
  it("keeps nothing readable, and gives everything back", async () => {
    const { inner, store } = setUp();
    const entry = newEntry("call.read", "r", { secret: SECRET });
    expect(await store.commit([change({ puts: [put(SECRET)], entries: [entry] })])).toMatchObject([{ ok: true }]);
    for (const read of [
      store.get("call", "a"),
      store.list("i", "", 10).then(([r]) => r),
      store.due("call", 9).then(([r]) => r),
    ])
      expect(await read).toEqual({ kind: "call", id: "a", version: 1, value: SECRET });
    expect((await all(store))[0]?.content).toBe(entry.content);
    expect(JSON.stringify([await inner.get("call", "a"), await all(inner)])).not.toContain("tulip");
  });

  it("opens the record that stands in the way of a refused change", async () => {
    const { store } = setUp();
    await store.commit([change({ puts: [put("first")] })]);
    const [refused] = await store.commit([change({ puts: [put("second")] })]);
    expect(refused).toMatchObject({ ok: false, refused: "version", current: { version: 1, value: "first" } });
    expect(await store.commit([change({ puts: [put("second", 1)] })])).toMatchObject([{ ok: true }]);
    expect((await store.get("call", "a"))?.value).toBe("second");
  });

  it("has a chain that verifies with and without the key, erasures included", async () => {
    const { inner, store } = setUp();
    await write(store, 10);
    await store.erase({ workspaceId: WORKSPACE, seqs: [2, 5] }, newEntry(ERASED, "", { seqs: [2, 5] }));
    for (const view of [inner, store, sealedStore(inner, createKeyRing(NEW))])
      expect(verifyChain(WORKSPACE, await all(view))).toMatchObject({ ok: true, seq: 11 });
    const key = newKey();
    const checkpoints = [signCheckpoint(await store.checkpoint(WORKSPACE), 0, key)];
    const report = await verifyExport(await all(store), WORKSPACE, { checkpoints, publicKeys: [key.publicKey] });
    expect(report.verdict).toBe("valid");
    const forged = (await all(store)).map((entry) => ({ ...entry, stored: `${entry.stored}x` }));
    expect(verifyChain(WORKSPACE, forged).ok).toBe(false);
  });

  it("refuses a record that was moved, rolled forward, never sealed, or sealed with a key that is missing", async () => {
    const { inner, store } = setUp();
    await store.commit([change({ puts: [put("mine"), put("yours", 0, "b")] })]);
    const theirs = (await inner.get("call", "b"))?.value ?? "";
    const replace = (value: string, version: number) => inner.commit([change({ puts: [put(value, version)] })]);
    const own = (await inner.get("call", "a"))?.value ?? "";
    for (const [version, value] of [theirs, own, "plain"].entries()) {
      await replace(value, version + 1);
      await expect(store.get("call", "a")).rejects.toHaveProperty("code", "hash_mismatch");
      const [listed, other] = await store.list("i", "", 10);
      expect(() => listed?.value).toThrow(expect.objectContaining({ code: "hash_mismatch" }));
      expect(other?.value).toBe("yours");
    }
    const other = sealedStore(inner, createKeyRing(NEW));
    await expect(other.get("call", "b")).rejects.toHaveProperty("code", "unknown_key");
  });

  it("says what it promises, and passes on what needs no key", async () => {
    const { inner, store } = setUp();
    expect(store.promises().text).toContain(inner.promises().text);
    const applied = change({ entries: [newEntry("call.read", "", {})] });
    await store.commit([applied]);
    expect([...(await store.changed([applied])).keys()]).toEqual([applied.changeId]);
    expect(store.time()).toBe(inner.time());
    expect(await store.commit([change({ workspaceId: "", puts: [put("x")] })])).toMatchObject([{ refused: "broken" }]);
  });
});

describe("a gate on a sealed store (seed C26)", () => {
  const approve = (approvalId: string) => ({ approvalId, decision: "approve" as const });

  function open(keys: string, path = join(newFolder(), "gate.db")) {
    const ran = vi.fn<() => Promise<object>>(async () => ({ receipt: SECRET }));
    const tool = defineTool<{ pin: string }>({ name: "bank.pay", confirm: true, execute: ran });
    const inner = sqliteStore(path, { worker: false });
    const store: Store = keys === "" ? inner : sealedStore(inner, createKeyRing(keys));
    const database = openDatabase(path);
    onTestFinished(() => database.close());
    return { path, ran, store, database, gate: openGate(store, systemClock, [tool]) };
  }
  async function held({ gate }: ReturnType<typeof open>) {
    const outcome = await gate.submit({ tool: "bank.pay", args: { pin: SECRET } }, CALLER);
    if (outcome.type !== "pending") throw new Error(outcome.message);
    return outcome.approvalId;
  }

  it("runs as on any other, and leaves neither arguments nor results readable in the file", async () => {
    const one = open(OLD);
    const approvalId = await held(one);
    await one.gate.decide(approve(approvalId), ANNA);
    expect(await one.gate.resume(approvalId, CALLER, { deadline: 5_000 })).toMatchObject({
      type: "succeeded",
      result: { receipt: SECRET },
    });
    expect(one.ran).toHaveBeenCalledWith({ pin: SECRET }, expect.anything());
    const rows = one.database.prepare("SELECT value FROM record UNION ALL SELECT content FROM entry").all();
    expect(rows.length).toBeGreaterThan(4);
    expect(JSON.stringify(rows)).not.toContain("tulip");
    expect((await one.gate.verify(WORKSPACE)).ok).toBe(true);
  });

  it("does not run a call whose key is not there", async () => {
    const one = open(OLD);
    const approvalId = await held(one);
    const two = open(NEW, one.path);
    await expect(two.gate.decide(approve(approvalId), ANNA)).rejects.toHaveProperty("code", "unknown_key");
    expect(two.ran).not.toHaveBeenCalled();
    const rotated = open(`${OLD} ${NEW}`, one.path);
    await rotated.gate.decide(approve(approvalId), ANNA);
    await rotated.gate.resume(approvalId, CALLER, { deadline: 5_000 });
    expect(rotated.ran).toHaveBeenCalledOnce();
  });

  /** Whoever owns the database writes that Anna has said yes. */
  async function forgeYes({ store, database }: ReturnType<typeof open>, approvalId: string) {
    const approval = decodeApproval((await store.get("approval", approvalId)) ?? expect.fail("the row is gone"));
    const vote = { userId: "anna", at: approval.requestedAt, assurance: "host" as const };
    const forged = encodeApproval({ ...approval, state: "approved", claimBy: Date.now() + 60_000, votes: [vote] });
    database.prepare("UPDATE record SET value = ? WHERE kind = 'a'").run(forged);
    database
      .prepare("INSERT INTO keyed (key, kind, id) SELECT 'approved', kind, id FROM record WHERE kind = 'a'")
      .run();
  }

  it("does not run an approval that was written into the database", async () => {
    const one = open(OLD);
    const approvalId = await held(one);
    await forgeYes(one, approvalId);
    await expect(one.gate.resume(approvalId, CALLER)).rejects.toHaveProperty("code", "hash_mismatch");
    await expect(one.gate.sweep()).rejects.toHaveProperty("code", "hash_mismatch");
    expect(one.ran).not.toHaveBeenCalled();
  });

  /** A question that will expire, and a denial that will be forgotten. */
  async function withDue() {
    const clock = manualClock();
    const inner = memoryStore({ clock });
    const gate = openGate(sealedStore(inner, createKeyRing(OLD)), clock, [
      defineTool({ name: "bank.pay", confirm: true }),
    ]);
    const ask = async (pin: string) =>
      (await gate.submit({ tool: "bank.pay", args: { pin } }, CALLER)).approvalId ?? "";
    const expires = await ask("1");
    await gate.decide({ approvalId: await ask("2"), decision: "deny" }, ANNA);
    return { clock, inner, gate, expires };
  }

  it("goes on with its upkeep although a row cannot be opened, and says that there is one", async () => {
    const { clock, inner, gate, expires } = await withDue();
    const planted = {
      kind: "approval" as const,
      id: "planted",
      version: 0,
      value: "{}",
      due: 1,
      indexes: ["approved"],
    };
    await inner.commit([change({ puts: [planted] })]);
    clock.advance(11 * 60_000);
    await expect(gate.sweep()).rejects.toHaveProperty("code", "hash_mismatch");
    expect((await gate.approval(expires, ANNA)).state).toBe("expired");
    expect((await all(inner)).map(({ type }) => type)).toContain("denial.ended");
  });

  it("ends what is due although more rows than one look holds cannot be opened (I9)", async () => {
    const { clock, inner, gate, expires } = await withDue();
    const broken = (kind: "approval" | "denial") =>
      change({
        puts: Array.from({ length: 250 }, (_, i) => ({ kind, id: `${kind}-${i}`, version: 0, value: "{}", due: 1 })),
      });
    await inner.commit([broken("approval"), broken("denial")]);
    clock.advance(11 * 60_000);
    for (let i = 0; i < 3; i++) await expect(gate.sweep()).rejects.toHaveProperty("code", "hash_mismatch");
    expect(await inner.list(personIndex(CALLER.workspaceId, CALLER.userId), "", 10)).toEqual([]);
    expect((await gate.approval(expires, ANNA)).state).toBe("expired");
    expect((await all(inner)).map(({ type }) => type)).toContain("denial.ended");
  });

  /** Rows that nobody sealed, before and after all others of a list. */
  const planted = (index: string) =>
    change({
      puts: ["0", "z"].map((id) => ({
        kind: "approval" as const,
        id: `${id}-${index}`,
        version: 0,
        value: "{}",
        indexes: [index],
      })),
    });

  it("starts what was approved elsewhere beside rows that cannot be opened, and names them (I1, I9)", async () => {
    const inner = memoryStore();
    const gate = (tools: AnyTool[], notice: Notice = () => undefined) =>
      openGate(sealedStore(inner, createKeyRing(OLD)), systemClock, tools, { caller: CALLER, notice });
    const ran = vi.fn<() => Promise<object>>(async () => ({}));
    const notices: object[] = [];
    const hosting = gate([defineTool({ name: "bank.pay", confirm: true, execute: ran })], (event, details) => {
      notices.push({ event, ...details });
    });
    const { approvalId = "" } = await hosting.submit({ tool: "bank.pay", args: { pin: "1" } });
    await inner.commit([planted("approved")]);
    await gate([]).decide(approve(approvalId), ANNA);
    expect(await hosting.resume(approvalId, CALLER, { deadline: 5_000 })).toMatchObject({ type: "succeeded" });
    expect(ran).toHaveBeenCalledOnce();
    await expect(hosting.sweep()).rejects.toHaveProperty("code", "hash_mismatch");
    for (const id of ["0-approved", "z-approved"])
      expect(notices).toContainEqual({ event: "record.failed", id, why: expect.stringContaining("not sealed") });
  });

  it("shows people what waits for them beside rows that cannot be opened, and names those once (I9)", async () => {
    const inner = memoryStore();
    const notices: object[] = [];
    const tools = [defineTool({ name: "bank.pay", confirm: true, execute: async () => ({}) })];
    const gate = openGate(sealedStore(inner, createKeyRing(OLD)), systemClock, tools, {
      caller: CALLER,
      notice: (event, details) => void notices.push({ event, ...details }),
    });
    const { approvalId = "" } = await gate.submit({ tool: "bank.pay", args: { pin: "1" } });
    const { workspaceId, userId } = CALLER;
    await inner.commit([planted(personIndex(workspaceId, userId)), planted(unknownIndex(workspaceId))]);
    for (let look = 0; look < 2; look++) expect(await gate.pending(ANNA)).toMatchObject([{ approvalId }]);
    expect(notices.filter((told) => "event" in told && told.event === "record.failed")).toHaveLength(2);
    expect(await gate.unknown()).toEqual([]);
  });

  it("gives whole pages although some rows cannot be opened, so that nothing behind them is taken for the end (I9)", async () => {
    const inner = memoryStore();
    const tools = [defineTool({ name: "bank.pay", confirm: true, execute: async () => ({}) })];
    const gate = openGate(sealedStore(inner, createKeyRing(OLD)), systemClock, tools, { caller: CALLER });
    const { workspaceId, userId } = CALLER;
    const asked: string[] = [];
    for (const pin of ["1", "2", "3"])
      asked.push((await gate.submit({ tool: "bank.pay", args: { pin } })).approvalId ?? "");
    const [first = "", second = "", third = ""] = asked;
    await inner.commit([planted(personIndex(workspaceId, userId))]);
    const ids = (page: readonly { readonly approvalId: string }[]) => page.map(({ approvalId }) => approvalId);
    expect(ids(await gate.pending(ANNA, { limit: 1 }))).toEqual([first]);
    expect(ids(await gate.pending(ANNA, { limit: 2, after: first }))).toEqual([second, third]);
    for (const approvalId of asked) await gate.decide(approve(approvalId), ANNA);
    await inner.commit([planted(historyIndex(workspaceId, userId))]);
    expect(ids(await gate.history(ANNA, { limit: 2 }))).toEqual([third, second]);
    expect(ids(await gate.history(ANNA, { limit: 2, before: second }))).toEqual([first]);
  });

  it("suggests grants and lists pending actions beside rows that cannot be opened (I9)", async () => {
    const inner = memoryStore();
    const tools = [defineTool({ name: "mail.send", confirm: true, execute: async () => ({}) })];
    const gate = openGate(sealedStore(inner, createKeyRing(OLD)), systemClock, tools, { caller: CALLER });
    const { workspaceId, userId } = CALLER;
    const asked = (to: string) => gate.submit({ tool: "mail.send", args: { to } });
    await gate.decide(approve((await asked("ann@example.com")).approvalId ?? ""), ANNA);
    const { approvalId = "" } = await asked("bob@example.com");
    const actions = createPendingActionStore(gate);
    await actions.create({
      userId,
      familyId: workspaceId,
      requestId: "request",
      conversationId: "conversation",
      toolCall: { toolName: "tasks.create", input: {} },
      description: "Create a task",
      isDestructive: false,
    });
    await inner.commit([planted(personIndex(workspaceId, userId)), planted(historyIndex(workspaceId, userId))]);
    expect(await gate.suggestGrants(approvalId, ANNA)).toMatchObject([{}, { covers: 1 }, { covers: 1 }]);
    expect(await actions.getByUser(userId, workspaceId)).toMatchObject([{ description: "Create a task" }]);
  });

  it("tells of everything that a dead instance ran, beside rows that cannot be opened (I6)", async () => {
    const inner = memoryStore();
    const gate = (pid: number, dead: number[], tools: AnyTool[]) =>
      openGate(sealedStore(inner, createKeyRing(OLD)), systemClock, tools, {
        caller: CALLER,
        host: { self: { host: "here", pid, started: "1" }, isGone: (process) => dead.includes(process.pid) },
      });
    let end = () => {};
    const execute = () => new Promise<void>((resolve) => void (end = resolve));
    void gate(1, [], [defineTool({ name: "notes.add", riskTier: "R1", execute })]).run({ tool: "notes.add" });
    onTestFinished(() => end());
    const instance = await vi.waitFor(async () => {
      const [lease] = await inner.list("leases", "", 1);
      const [running] = await inner.list(instanceIndex(lease?.id ?? ""), "", 1);
      return running === undefined ? expect.fail("it does not run yet") : (lease?.id ?? "");
    });
    await inner.commit([planted(instanceIndex(instance))]);
    const second = gate(2, [1], []);
    await expect(second.sweep()).rejects.toHaveProperty("code", "hash_mismatch");
    expect(await second.unknown()).toMatchObject([{ tool: "notes.add" }]);
  });

  it("is what it takes: without the key to check, the same forgery runs", async () => {
    const one = open("");
    await forgeYes(one, await held(one));
    await one.gate.sweep();
    expect(one.ran).toHaveBeenCalledOnce();
  });
});
