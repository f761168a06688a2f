import { ERASED } from "../core/audit.js";
import { systemClock } from "../core/clock.js";
import { CountersignError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import type {
  Applied,
  Change,
  ChangeRef,
  Clock,
  Entry,
  Erasure,
  Head,
  Kind,
  NewEntry,
  Put,
  Store,
  StoredRecord,
} from "../core/ports.js";
import { applyGroup, countAt, emptyHead, type Tables } from "./apply.js";
import { SortedKeys } from "./sorted-keys.js";

interface Row extends StoredRecord {
  readonly indexes: readonly string[];
  readonly due: number | undefined;
}

/** For scripts and tests: every promise but the one that survives the process. */
export function memoryStore(options: { readonly clock?: Clock } = {}): Store {
  return new MemoryStore(options.clock ?? systemClock);
}

class MemoryStore implements Store {
  readonly #clock: Clock;
  readonly #tables = new MemoryTables();
  readonly #signed = new Map<string, string>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async commit(group: readonly Change[]): Promise<readonly Applied[]> {
    const applied = applyGroup(this.#tables, group, () => this.#clock.now());
    group.forEach(({ changeId, entries }, index) => {
      const result = applied[index];
      if (result?.ok && entries.length > 0) this.#tables.changes.set(changeId, result);
    });
    for (const listener of this.#listeners) listener();
    return applied;
  }

  async changed(changes: readonly ChangeRef[]): Promise<ReadonlyMap<string, Extract<Applied, { ok: true }>>> {
    const known = changes.flatMap(({ changeId }) => {
      const applied = this.#tables.changes.get(changeId);
      return applied === undefined ? [] : ([[changeId, applied]] as const);
    });
    return new Map(known);
  }

  async get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    return this.#tables.record(kind, id);
  }

  async list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#tables.list(index, after, limit);
  }

  async latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#tables.latest(index, before, limit);
  }

  async due(kind: Kind, limit: number): Promise<readonly StoredRecord[]> {
    return this.#tables.dueBefore(kind, this.time(), limit);
  }

  async count(key: string): Promise<number> {
    return countAt(this.#tables, key, this.time());
  }

  async entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    return this.#tables.chain(workspaceId).slice(after, after + limit);
  }

  async erase(refs: Erasure, entry: NewEntry): Promise<void> {
    const erasure = { changeId: newId(), workspaceId: refs.workspaceId, puts: [], entries: [entry] };
    const [applied] = await this.commit([erasure]);
    if (!applied?.ok)
      throw new CountersignError("invalid_change", "The erasure was not well formed; nothing was erased.");
    const chain = this.#tables.chain(refs.workspaceId);
    for (const seq of refs.seqs) {
      const found = chain[seq - 1];
      if (found !== undefined && found.type !== ERASED) chain[seq - 1] = { ...found, content: null, salt: null };
    }
    for (const { kind, id } of refs.records ?? []) this.#tables.remove(kind, id);
  }

  async checkpoint(workspaceId: string, signed?: string): Promise<Head & { readonly signed?: string }> {
    if (signed !== undefined) this.#signed.set(workspaceId, signed);
    const kept = this.#signed.get(workspaceId);
    const head = this.#tables.head(workspaceId);
    return kept === undefined ? head : { ...head, signed: kept };
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  time(): number {
    return this.#clock.now();
  }

  promises() {
    const text = "Kept in memory: everything is lost when this process ends.";
    return { engine: "memory", durable: false, shared: false, text };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}

class MemoryTables implements Tables {
  readonly changes = new Map<string, Extract<Applied, { ok: true }>>();
  readonly #heads = new Map<string, Head>();
  readonly #records = new Map<string, Row>();
  readonly #indexes = new Map<string, SortedKeys>();
  readonly #uniques = new Map<string, { readonly id: string; readonly until: number }>();
  readonly #counts = new Map<string, { readonly value: number; readonly until: number }>();
  readonly #chains = new Map<string, Entry[]>();

  head(workspaceId: string): Head {
    return this.#heads.get(workspaceId) ?? emptyHead(workspaceId);
  }

  setHead(head: Head): void {
    this.#heads.set(head.workspaceId, head);
  }

  record(kind: Kind, id: string): StoredRecord | undefined {
    const row = this.#records.get(`${kind}/${id}`);
    return row && { kind, id, version: row.version, value: row.value };
  }

  version(kind: Kind, id: string): number {
    return this.#records.get(`${kind}/${id}`)?.version ?? 0;
  }

  put({ kind, id, version, value, indexes = [], due }: Put): void {
    this.remove(kind, id);
    if (value === null) return;
    const row: Row = { kind, id, version: version + 1, value, indexes, due };
    this.#records.set(`${kind}/${id}`, row);
    for (const key of keysOf(row)) {
      const keys = this.#indexes.get(key.index) ?? new SortedKeys();
      this.#indexes.set(key.index, keys);
      keys.add(key.key);
    }
  }

  remove(kind: Kind, id: string): void {
    const row = this.#records.get(`${kind}/${id}`);
    if (row === undefined) return;
    this.#records.delete(`${kind}/${id}`);
    for (const key of keysOf(row)) {
      const keys = this.#indexes.get(key.index);
      keys?.delete(key.key);
      if (keys?.size === 0) this.#indexes.delete(key.index);
    }
  }

  list(index: string, after: string, limit: number): StoredRecord[] {
    const from = after === "" ? "" : `${after}\0\u{10ffff}`;
    return this.#read(this.#indexes.get(`i/${index}`)?.after(from, limit) ?? []);
  }

  latest(index: string, before: string, limit: number): StoredRecord[] {
    const to = before === "" ? "" : `${before}\0`;
    return this.#read(this.#indexes.get(`i/${index}`)?.before(to, limit) ?? []);
  }

  dueBefore(kind: Kind, now: number, limit: number): StoredRecord[] {
    const keys = this.#indexes.get(`d/${kind}`)?.after("", limit) ?? [];
    return this.#read(keys.filter((key) => key <= `${padded(now)}/\u{10ffff}`));
  }

  unique(key: string) {
    return this.#uniques.get(key);
  }

  setUnique(key: string, id: string, until: number): void {
    if (until <= 0) this.#uniques.delete(key);
    else this.#uniques.set(key, { id, until });
  }

  count(key: string) {
    return this.#counts.get(key);
  }

  setCount(key: string, value: number, until: number): void {
    if (value === 0) this.#counts.delete(key);
    else this.#counts.set(key, { value, until });
  }

  append(entry: Entry): void {
    this.chain(entry.workspaceId).push(entry);
  }

  chain(workspaceId: string): Entry[] {
    const chain = this.#chains.get(workspaceId) ?? [];
    this.#chains.set(workspaceId, chain);
    return chain;
  }

  /** Sorted keys end in the record's key, after the last separator that ids cannot hold. */
  #read(keys: readonly string[]): StoredRecord[] {
    return keys.flatMap((key) => {
      const row = this.#records.get(key.slice(key.lastIndexOf("\0") + 1));
      return row === undefined ? [] : [{ kind: row.kind, id: row.id, version: row.version, value: row.value }];
    });
  }
}

function keysOf(row: Row): { readonly index: string; readonly key: string }[] {
  const record = `${row.kind}/${row.id}`;
  const listed = row.indexes.map((index) => ({ index: `i/${index}`, key: `${row.id}\0${record}` }));
  return row.due === undefined
    ? listed
    : [...listed, { index: `d/${row.kind}`, key: `${padded(row.due)}/\0${record}` }];
}

function padded(time: number): string {
  return String(time).padStart(17, "0");
}
