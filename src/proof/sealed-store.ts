import { ERASED } from "../core/audit.js";
import { CountersignError } from "../core/errors.js";
import type {
  Applied,
  Change,
  ChangeRef,
  Entry,
  Erasure,
  Head,
  Kind,
  NewEntry,
  Promises,
  Put,
  Store,
  StoredRecord,
} from "../core/ports.js";
import { isSealed, type KeyRing } from "./seal.js";

/**
 * A store whose records and entry contents are readable only with the key. The chain hashes what is sealed, so that verifying
 * needs no key. Each record is sealed for its kind, id and version: whoever owns the database can remove a record or put an
 * older version of it back, but cannot read, forge, alter or swap one. A record whose key is missing, or that was never sealed,
 * is refused, so a call that cannot be opened never runs. In a list it is refused when its value is read: whoever goes on without
 * it must choose to.
 */
export function sealedStore(store: Store, keys: KeyRing): Store {
  return new SealedStore(store, keys);
}

/** Opens one entry's content, for verifiers that have the key: `verifyEvidence(file, publicKeys, openerOf(keys))`. */
export function openerOf(keys: KeyRing): (entry: Entry) => string | null {
  return ({ workspaceId, type, ref, content }) =>
    content === null || !isSealed(content) ? content : keys.open(content, [workspaceId, type, ref]);
}

class SealedStore implements Store {
  readonly #store: Store;
  readonly #keys: KeyRing;
  readonly #openEntry: (entry: Entry) => string | null;

  constructor(store: Store, keys: KeyRing) {
    this.#store = store;
    this.#keys = keys;
    this.#openEntry = openerOf(keys);
  }

  get groupsAtOnce(): number | undefined {
    return this.#store.groupsAtOnce;
  }

  async commit(group: readonly Change[]): Promise<readonly Applied[]> {
    const applied = await this.#store.commit(group.map((change) => this.#sealChange(change)));
    return applied.map((one) =>
      one.ok || one.current === undefined ? one : { ...one, current: this.#open(one.current) },
    );
  }

  changed(changes: readonly ChangeRef[]) {
    return this.#store.changed(changes);
  }

  async get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    const record = await this.#store.get(kind, id);
    return record && this.#open(record);
  }

  async list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]> {
    return (await this.#store.list(index, after, limit)).map((record) => this.#openOrRefuse(record));
  }

  async latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]> {
    return (await this.#store.latest(index, before, limit)).map((record) => this.#openOrRefuse(record));
  }

  async due(kind: Kind, limit: number): Promise<readonly StoredRecord[]> {
    return (await this.#store.due(kind, limit)).map((record) => this.#openOrRefuse(record));
  }

  count(key: string): Promise<number> {
    return this.#store.count(key);
  }

  async entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    return (await this.#store.entries(workspaceId, after, limit)).map((entry) => this.#reveal(entry));
  }

  erase(refs: Erasure, entry: NewEntry): Promise<void> {
    return this.#store.erase(refs, this.#sealEntry(refs.workspaceId, entry));
  }

  checkpoint(workspaceId: string, signed?: string): Promise<Head & { readonly signed?: string }> {
    return this.#store.checkpoint(workspaceId, signed);
  }

  watch(listener: () => void): () => void {
    return this.#store.watch(listener);
  }

  time(): number {
    return this.#store.time();
  }

  promises(): Promises {
    const promises = this.#store.promises();
    return { ...promises, text: `${promises.text} Sealed: nobody reads it without the key.` };
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #sealChange(change: Change): Change {
    return {
      ...change,
      puts: change.puts.map((put) => this.#sealPut(put)),
      entries: change.entries.map((entry) => this.#sealEntry(change.workspaceId, entry)),
    };
  }

  #sealPut(put: Put): Put {
    if (put.kind === CLEAR || typeof put.value !== "string") return put;
    return { ...put, value: this.#keys.seal(put.value, placeOf(put.kind, put.id, put.version + 1)) };
  }

  /** An erasure holds sequence numbers alone, and whoever verifies without a key has to read them. */
  #sealEntry(workspaceId: string, entry: NewEntry): NewEntry {
    if (entry.type === ERASED || typeof entry.content !== "string") return entry;
    return { ...entry, content: this.#keys.seal(entry.content, [workspaceId, entry.type, entry.ref]) };
  }

  #open(record: StoredRecord): StoredRecord {
    const { kind, id, version, value } = record;
    if (kind === CLEAR) return record;
    // Not sealed means not written by us: taking it would let anybody who can write rows write approvals.
    if (!isSealed(value))
      throw new CountersignError(
        "hash_mismatch",
        `The ${kind} "${id}" is not sealed; it was not written through this gate.`,
      );
    return { ...record, value: this.#keys.open(value, placeOf(kind, id, version)) };
  }

  #openOrRefuse(record: StoredRecord): StoredRecord {
    try {
      return this.#open(record);
    } catch (error) {
      const { kind, id, version } = record;
      return {
        kind,
        id,
        version,
        get value(): string {
          throw error;
        },
      };
    }
  }

  /** An entry that cannot be opened stays as it is: nothing is decided by it, and its link can still be checked. */
  #reveal(entry: Entry): Entry {
    if (entry.content === null || !isSealed(entry.content)) return entry;
    try {
      return { ...entry, content: this.#openEntry(entry), stored: entry.content };
    } catch (error) {
      if (error instanceof CountersignError) return entry;
      throw error;
    }
  }
}

/** Says which process an instance is, and must stay readable for whoever takes over from it. */
const CLEAR: Kind = "lease";

function placeOf(kind: Kind, id: string, version: number): readonly string[] {
  return [kind, id, String(version)];
}
