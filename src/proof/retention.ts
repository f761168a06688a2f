import { type Approval, historyIndex, isFinal, personIndex } from "../core/approval.js";
import { systemClock } from "../core/clock.js";
import { decodeApproval } from "../core/codec.js";
import { newId } from "../core/ids.js";
import type { Clock, Entry, Notice, Store } from "../core/ports.js";
import type { PrivacyLevel } from "../core/privacy.js";
import type { Workspaces } from "./checkpointer.js";
import { type Batch, endedAt, eraseBatch, loadEnded, MAX_BATCH } from "./erase.js";
import { entriesOf } from "./export.js";
import { isSealed } from "./seal.js";

/** How long what was said is kept after a call has ended; that it was called, when, by whom and how it ended stays. */
export const RETENTION: Readonly<Record<PrivacyLevel, number>> = {
  minimal: 24 * 3_600_000,
  enhanced: 30 * 24 * 3_600_000,
};

export interface RetentionOptions {
  readonly store: Store;
  /** One for all workspaces, or what each of them has chosen. */
  readonly level: PrivacyLevel | ((workspaceId: string) => Promise<PrivacyLevel>);
  readonly workspaces: Workspaces;
  /** With this secret a keyed hash of each erased call stays, to show later which call it was. */
  readonly key?: string;
  readonly everyMs?: number;
  /** When it begins; after as long as between two, unless told. A process that lives for less than that would erase nothing. */
  readonly firstMs?: number;
  readonly clock?: Clock;
  readonly notice?: Notice;
}

export interface ErasedPerson {
  readonly calls: number;
  readonly entries: number;
  /** Calls that have not ended; ask again when they have. */
  readonly open: number;
  /** Sealed entries whose key is not here, so that nobody can tell whom they speak of. */
  readonly unreadable: number;
}

export interface Retention {
  /** Erases what is due. Runs by itself; returns how many entries lost their content. */
  sweep(): Promise<number>;
  /**
   * Erases all calls made for this person that have ended, and the person from their records. Answers this person gave to
   * other people's calls belong to those calls and go with them.
   */
  erasePerson(workspaceId: string, userId: string): Promise<ErasedPerson>;
  close(): void;
}

/** Where the last sweep stopped, and entries it passed whose calls had not ended long enough ago. */
interface Cursor {
  readonly after: number;
  readonly waiting: { readonly [approvalId: string]: readonly number[] };
}

const START: Cursor = { after: 0, waiting: {} };

/** Erases what is due, once an hour unless told otherwise; `sweep` does it now. Several instances may each run one on the same store. */
export function createRetention(options: RetentionOptions): Retention {
  const { store, clock = systemClock, notice = () => {}, everyMs = 3_600_000 } = options;
  let cancel = () => {};
  let running: Promise<unknown> = Promise.resolve();
  const sweepAll = async () => {
    const { workspaces } = options;
    let erased = 0;
    for (const workspaceId of typeof workspaces === "function" ? await workspaces() : workspaces)
      erased += await sweepWorkspace(options, workspaceId);
    return erased;
  };
  // Two at once would do the same work twice: one after the other, and each by its own time.
  const sweep = () => {
    const swept = running.then(sweepAll, sweepAll);
    running = swept.catch(() => {});
    return swept;
  };
  const schedule = (after: number) => {
    cancel = clock.timer(after, () => {
      sweep().catch((error: Error) => notice("retention.failed", { why: error.message }));
      schedule(everyMs);
    });
  };
  schedule(options.firstMs ?? everyMs);
  return { sweep, erasePerson: (ws, userId) => erasePerson(store, ws, userId, options.key), close: () => cancel() };
}

/** Walks the chain once, from where the last sweep stopped to what is old enough; nothing is read twice. */
async function sweepWorkspace({ store, level, key }: RetentionOptions, workspaceId: string): Promise<number> {
  const before = store.time() - RETENTION[typeof level === "function" ? await level(workspaceId) : level];
  const id = `retention/${workspaceId}`;
  let erased = 0;
  for (;;) {
    const record = await store.get("setting", id);
    const cursor = record === undefined ? START : (JSON.parse(record.value) as Cursor);
    const page = (await store.entries(workspaceId, cursor.after, MAX_BATCH)).filter(({ time }) => time <= before);
    const { seqs, calls, waiting } = await dueIn(store, cursor, page, before);
    const batch: Batch = { workspaceId, seqs, calls, persons: false, reason: "retention", key };
    if (seqs.length > 0) await eraseBatch(store, batch);
    erased += seqs.length;
    if (page.length + seqs.length === 0) return erased;
    const next: Cursor = { after: page.at(-1)?.seq ?? cursor.after, waiting };
    const put = { kind: "setting" as const, id, version: record?.version ?? 0, value: JSON.stringify(next) };
    const [applied] = await store.commit([{ changeId: newId(), workspaceId, puts: [put], entries: [] }]);
    // Another instance moved the cursor: it goes on from there.
    if (!applied?.ok || page.length < MAX_BATCH) return erased;
  }
}

interface Due {
  readonly seqs: readonly number[];
  readonly calls: readonly Approval[];
  readonly waiting: Cursor["waiting"];
}

async function dueIn(store: Store, cursor: Cursor, page: readonly Entry[], before: number): Promise<Due> {
  const passed = new Map(Object.entries(cursor.waiting).map(([ref, seqs]) => [ref, [...seqs]]));
  const seqs: number[] = [];
  for (const { ref, seq, type, content } of page) {
    if (content === null) continue;
    if (ref !== "") passed.set(ref, [...(passed.get(ref) ?? []), seq]);
    else if (isCall(type)) seqs.push(seq);
  }
  const calls: Approval[] = [];
  const waiting: Record<string, readonly number[]> = {};
  for (const [ref, own] of passed) {
    const loaded = await loadEnded(store, ref);
    const wait = loaded === "open" || (loaded !== "gone" && endedAt(loaded) > before);
    if (wait) waiting[ref] = own;
    else seqs.push(...own);
    if (!wait && loaded !== "gone") calls.push(loaded);
  }
  return { seqs: seqs.sort((a, b) => a - b), calls, waiting };
}

/** Entries without a record of their own: reads and refused calls. What people did to the workspace itself stays. */
function isCall(type: string): boolean {
  return type.startsWith("call.");
}

/** What `Retention.erasePerson` does, for whoever runs no sweep. */
export async function erasePerson(
  store: Store,
  workspaceId: string,
  userId: string,
  key?: string,
): Promise<ErasedPerson> {
  const mine = await callsFor(store, workspaceId, userId);
  const ended = new Map(mine.filter((own) => isFinal(own.state)).map((own) => [own.approvalId, own]));
  const seqs: number[] = [];
  let unreadable = 0;
  for await (const entry of entriesOf(store, workspaceId)) {
    if (entry.content === null) continue;
    if (ended.has(entry.ref) || isOwnCall(entry, userId)) seqs.push(entry.seq);
    else if (isSealed(entry.content)) unreadable++;
  }
  const about = { workspaceId, persons: true, reason: "request" as const, key };
  for (let at = 0; at === 0 || at < seqs.length; at += MAX_BATCH) {
    const calls = at === 0 ? [...ended.values()] : [];
    if (seqs.length + calls.length > 0)
      await eraseBatch(store, { ...about, seqs: seqs.slice(at, at + MAX_BATCH), calls });
  }
  return { calls: ended.size, entries: seqs.length, open: mine.length - ended.size, unreadable };
}

/** Past ones stand in the person's history, open ones among what waits for the person. */
async function callsFor(store: Store, workspaceId: string, userId: string): Promise<Approval[]> {
  const found: Approval[] = [];
  for (const index of [historyIndex(workspaceId, userId), personIndex(workspaceId, userId)]) {
    for (let after = ""; ; ) {
      const page = await store.list(index, after, MAX_BATCH);
      found.push(...page.map(decodeApproval).filter((call) => call.requester.userId === userId));
      if (page.length < MAX_BATCH) break;
      after = page.at(-1)?.id ?? after;
    }
  }
  return found;
}

function isOwnCall({ ref, type, content }: Entry, userId: string): boolean {
  if (ref !== "" || !isCall(type) || content === null || isSealed(content)) return false;
  return (JSON.parse(content) as { readonly for?: unknown }).for === userId;
}
