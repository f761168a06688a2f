import type { Json } from "./json.js";

/** What the engine keeps: `approval` is the small state row, `call` the immutable row beside it, `lease` one per instance. */
export type Kind = "approval" | "call" | "lease" | "grant" | "setting" | "denial";

/** Replaces one record. Version 0 means that it must not exist yet; `value: null` removes it. */
export interface Put {
  readonly kind: Kind;
  readonly id: string;
  /** The version this put replaces. */
  readonly version: number;
  /** Opaque to the store: any text without NUL characters, as JSON is. At most one put per record in a change. */
  readonly value: string | null;
  /** All keys under which `list` finds the record from now on. */
  readonly indexes?: readonly string[] | undefined;
  /** Store time from which `due` gives the record. */
  readonly due?: number | undefined;
}

/** An audit entry before the store has given it its place in the chain. */
export interface NewEntry {
  /** Noun, then past verb: `approval.created`. Stays readable after erasure, so it holds nothing personal. */
  readonly type: string;
  /** The approval it speaks of; empty for none. */
  readonly ref: string;
  /** Canonical JSON; erasable. The store adds 32 random bytes, so that erased content cannot be guessed from its hash. */
  readonly content: string;
}

export interface Entry {
  readonly workspaceId: string;
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly ref: string;
  /** Null after erasure. */
  readonly content: string | null;
  /** What the chain hashed, where a store that seals content has opened it on the way out. */
  readonly stored?: string;
  readonly salt: Uint8Array | null;
  /** SHA-256(salt ‖ content), kept when those two are gone. */
  readonly contentHash: Uint8Array;
  /** Links this entry to all before it. */
  readonly hash: Uint8Array;
}

/**
 * One all-or-nothing step. Every condition is judged inside the store's transaction, on the store's clock. Ids and keys are
 * texts without NUL characters and half surrogate pairs, times and counts are whole numbers; else the change is `broken`.
 */
export interface Change {
  /** Unique for ever: a commit whose reply was lost is settled by asking for it. */
  readonly changeId: string;
  readonly workspaceId: string;
  readonly puts: readonly Put[];
  readonly entries: readonly NewEntry[];
  /** Refused `late` unless the store's time is before this. */
  readonly before?: number | undefined;
  /** Refused `early` unless the store's time is at or after this. */
  readonly after?: number | undefined;
  /** Refused `epoch` unless the workspace's epoch is this. */
  readonly epoch?: number | undefined;
  /** Raises the workspace's epoch: whatever was judged before is judged again. */
  readonly tighten?: boolean | undefined;
  /** Pauses or resumes the workspace; a pause tightens. */
  readonly paused?: boolean | undefined;
  /**
   * Refused `taken` while another id holds the key. The holder may set it again; a past `until` frees it. Each key once, but
   * that it may be freed by its holder and taken by another id, in this order: so a key is handed over.
   */
  readonly unique?: readonly { readonly key: string; readonly id: string; readonly until: number }[] | undefined;
  /** Refused `limit` when a counter would pass `max`. A counter past its `until` counts from zero. Each key once. */
  readonly counts?:
    | readonly { readonly key: string; readonly add: number; readonly max?: number; readonly until?: number }[]
    | undefined;
}

export type ChangeRef = Pick<Change, "changeId" | "workspaceId">;

export interface StoredRecord {
  readonly kind: Kind;
  readonly id: string;
  readonly version: number;
  readonly value: string;
}

export interface Head {
  readonly workspaceId: string;
  /** Sequence number of the last entry, 0 before the first. */
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly time: number;
  readonly epoch: number;
  readonly paused: boolean;
}

export type Applied =
  | { readonly ok: true; readonly time: number; readonly seq: number; readonly epoch: number }
  | {
      readonly ok: false;
      readonly refused: "version" | "late" | "early" | "epoch" | "taken" | "limit" | "broken";
      readonly time: number;
      readonly epoch: number;
      /** With `version`: the record that stands in the way, if there is one. */
      readonly current?: StoredRecord;
      /** With `taken` and `limit`: which key; with `taken`: which id holds it. */
      readonly key?: string;
      readonly holder?: string;
      /** With `broken`: what is wrong with the change itself. */
      readonly problem?: string;
    };

/** What a store promises, so that start can say it in plain words. */
export interface Promises {
  readonly engine: string;
  /** What was acknowledged survives kill -9 and power loss. */
  readonly durable: boolean;
  /** Several processes may share it. */
  readonly shared: boolean;
  readonly text: string;
}

/** Where the engine keeps everything. Stores apply changes and know no rule. */
export interface Store {
  /**
   * Applies changes in order, in one durable write; later ones see earlier ones. Of any number that replace the same version
   * exactly one is applied, the others are refused with the current record. A refused or broken change leaves no trace and
   * harms no other. Commits are serial per workspace; entries are linked to its head inside the write. A rejected promise
   * means that the outcome is unknown: ask `changed`.
   */
  commit(group: readonly Change[]): Promise<readonly Applied[]>;
  /** How many groups are worth handing over before the first is answered; one where nothing is said. */
  readonly groupsAtOnce?: number | undefined;
  /**
   * Which of these recent changes were applied, by their change id, for commits whose reply was lost. Of those without an
   * entry nothing is known.
   */
  changed(changes: readonly ChangeRef[]): Promise<ReadonlyMap<string, Extract<Applied, { ok: true }>>>;
  get(kind: Kind, id: string): Promise<StoredRecord | undefined>;
  /** Records under one key, ordered by id, those after the given id. */
  list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]>;
  /** The same from the end, the last id first: those before the given id, or from the very end for "". */
  latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]>;
  /** Records whose `due` has come, the longest due first. */
  due(kind: Kind, limit: number): Promise<readonly StoredRecord[]>;
  /** What a counter of `Change.counts` stands at; 0 where there is none or its time is over. */
  count(key: string): Promise<number>;
  /** The workspace's chain in order, after the given sequence number. */
  entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]>;
  /** Removes content and salt of entries, and whole records, for ever; the erasure is itself an entry of the chain. */
  erase(refs: Erasure, entry: NewEntry): Promise<void>;
  /** The head of the chain now; given a signed checkpoint, keeps it beside the chain. */
  checkpoint(workspaceId: string, signed?: string): Promise<Head & { readonly signed?: string }>;
  /** A hint that something may have changed, from this process or another. Hints may be lost or come twice. */
  watch(listener: () => void): () => void;
  /** The store's clock as well as it is known here. Only commits judge time for real. */
  time(): number;
  promises(): Promises;
  close(): Promise<void>;
}

export interface Erasure {
  readonly workspaceId: string;
  readonly seqs: readonly number[];
  readonly records?: readonly { readonly kind: Kind; readonly id: string }[];
}

/** Time and timers, so that tests own both. */
export interface Clock {
  now(): number;
  /** Calls once after the delay; `keepAlive` timers hold the process open. Returns a cancel function. */
  timer(delay: number, run: () => void, keepAlive?: boolean): () => void;
}

/** Which process an instance is, so that a successor on the same machine can tell at once that it is gone. */
export interface HostProcess {
  readonly host: string;
  readonly pid: number;
  /** Tells a process from a later one that got the same pid, where the system says it. */
  readonly started: string;
}

export interface Host {
  readonly self: HostProcess;
  /** True only when it is certain; another machine's process is never known to be gone. */
  isGone(process: HostProcess): boolean;
}

/** What a person may do in a workspace right now. */
export interface Member {
  readonly roles: readonly string[];
  readonly groups: readonly string[];
}

/** Who is who. Without this port the host vouches for each person it passes to the gate. */
export interface People {
  member(workspaceId: string, userId: string): Promise<Member | undefined>;
  /** Whether at least `quorum` different persons of the audience exist, without the barred ones. */
  reachable(workspaceId: string, audience: AudienceQuery): Promise<boolean>;
  /** Whether what this agent asked for may still run: not when it was ended since. One that nobody here knows may. */
  mayAsk?(workspaceId: string, agentId: string): Promise<boolean>;
  /** What a person or an agent of the workspace is called, for cards; undefined for whoever has no name. Never decided by. */
  nameOf?(workspaceId: string, id: string): Promise<string | undefined>;
}

export interface AudienceQuery {
  readonly persons: readonly string[];
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly quorum: number;
  readonly barred: readonly string[];
}

/** Structured events for logs and metrics. Never a token, a secret or an argument. */
export type Notice = (event: string, fields: { readonly [key: string]: Json }) => void;
