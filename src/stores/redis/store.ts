import { ERASED } from "../../core/audit.js";
import { CountersignError } from "../../core/errors.js";
import { newId } from "../../core/ids.js";
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
  Promises,
  Store,
  StoredRecord,
} from "../../core/ports.js";
import { isStorable } from "../../core/storable.js";
import { emptyHead } from "../apply.js";
import { problemOf } from "../broken.js";
import { partsOf } from "../parts.js";
import type { Connection } from "./connection.js";
import type { Step } from "./draft.js";
import type { Mark } from "./fence.js";
import type { Keys } from "./keys.js";
import { Known } from "./known.js";
import { Reader } from "./reader.js";
import { erasedRow, toEntry } from "./rows.js";
import { fitServer, promisesOf, type Server, warnIfWeak } from "./server.js";
import { WakeUps } from "./wake.js";
import { Writer } from "./writer.js";

export interface RedisStoreParts {
  readonly connection: Connection;
  readonly keys: Keys;
  readonly mark: Mark & { readonly fence?: string };
  readonly server: Server;
  readonly clock: Clock | undefined;
  readonly mirror: boolean;
}

/** The store over a connection that is open and a server that was looked at. */
export class RedisStore implements Store {
  /** One is put into words here while the server is at work on the other. */
  readonly groupsAtOnce = 2;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #writer: Writer;
  readonly #reader: Reader;
  #promises: Promises;
  readonly #listeners = new Set<() => void>();
  #wakeUps: WakeUps | undefined;
  #closed = false;

  constructor({ connection, keys, mark, server, clock, mirror }: RedisStoreParts) {
    this.#connection = connection;
    this.#keys = keys;
    const known = new Known();
    this.#writer = new Writer({ connection, keys, known, mark, clock, mirror, inspect: () => this.#lookAgain() });
    this.#reader = new Reader(connection, keys, known);
    this.#promises = promisesOf(server);
  }

  async commit(group: readonly Change[]): Promise<readonly Applied[]> {
    return this.#write(group.map((change) => ({ change })));
  }

  async #write(steps: readonly Step[]): Promise<Applied[]> {
    this.#checkOpen();
    const applied: Applied[] = [];
    try {
      for (const part of partsOf(steps, ({ change }) => change)) applied.push(...(await this.#writer.write(part)));
      if (applied.some(({ ok }) => ok)) this.#hint();
      return applied;
    } catch (error) {
      throw asOurs(error);
    }
  }

  async changed(changes: readonly ChangeRef[]): Promise<ReadonlyMap<string, Extract<Applied, { ok: true }>>> {
    const sound = changes.filter(({ changeId, workspaceId }) => isStorable(changeId) && isStorable(workspaceId));
    return this.#read(() => this.#reader.changed(sound));
  }

  get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    return this.#read(() => (isStorable(id) ? this.#reader.get(kind, id) : undefined));
  }

  list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#read(() => (isStorable(index) && isStorable(after) ? this.#reader.list(index, after, limit) : []));
  }

  latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#read(() => (isStorable(index) && isStorable(before) ? this.#reader.latest(index, before, limit) : []));
  }

  due(kind: Kind, limit: number): Promise<readonly StoredRecord[]> {
    return this.#read(() => this.#reader.due(kind, this.time(), limit));
  }

  count(key: string): Promise<number> {
    return this.#read(() => (isStorable(key) ? this.#reader.count(key, this.time()) : 0));
  }

  entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    return this.#read(() => (isStorable(workspaceId) ? this.#reader.entries(workspaceId, after, limit) : []));
  }

  async erase({ workspaceId, seqs, records = [] }: Erasure, entry: NewEntry): Promise<void> {
    const change: Change = { changeId: newId(), workspaceId, puts: [], entries: [entry] };
    if (problemOf(change) !== undefined) throw malformed();
    const removed = records.filter(({ id }) => isStorable(id));
    // Entries never change but by being erased, so that they may be read before the write that erases them.
    const erased = await this.#read(() => this.#erased(workspaceId, seqs));
    await this.#write([{ change, erased, removed }]);
  }

  /** What takes the place of these entries. Those that tell of erasures stay. */
  async #erased(workspaceId: string, seqs: readonly number[]): Promise<Map<number, string>> {
    const named = [...new Set(seqs)].filter((seq) => Number.isSafeInteger(seq) && seq > 0);
    const rows = await this.#reader.entryRows(workspaceId, named);
    const isErasable = (seq: number, row: string) => toEntry(workspaceId, seq, row).type !== ERASED;
    return new Map(
      named.flatMap((seq, i) => (rows[i] && isErasable(seq, rows[i]) ? [[seq, erasedRow(rows[i])] as const] : [])),
    );
  }

  async checkpoint(workspaceId: string, signed?: string): Promise<Head & { readonly signed?: string }> {
    return this.#read(async () => {
      if (signed !== undefined) {
        if (!isStorable(workspaceId) || !isStorable(signed)) throw malformed();
        await this.#connection.send("SET", this.#keys.signed(workspaceId), signed);
      }
      return isStorable(workspaceId) ? this.#reader.head(workspaceId) : emptyHead(workspaceId);
    });
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#wakeUps ??= new WakeUps(
      this.#connection.client,
      this.#keys.wake,
      this.#writer.known,
      () => this.#hint(),
      () => this.#writer.look(),
    );
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopWaiting();
    };
  }

  time(): number {
    return this.#writer.time();
  }

  promises(): Promises {
    return this.#promises;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listeners.clear();
    this.#stopWaiting();
    await this.#writer.idle();
    this.#connection.close();
  }

  /** Measures how far the server's clock is from the one here. */
  synchronise(): Promise<void> {
    return this.#writer.synchronise();
  }

  /** Another server may stand behind the connection that came back, or the same one with other settings. */
  async #lookAgain(): Promise<void> {
    const before = this.#promises;
    this.#promises = promisesOf(await fitServer(this.#connection));
    if (before.durable) warnIfWeak(this.#promises);
  }

  #hint(): void {
    for (const listener of this.#listeners) listener();
  }

  #stopWaiting(): void {
    this.#wakeUps?.stop();
    this.#wakeUps = undefined;
  }

  #checkOpen(): void {
    if (this.#closed) throw new CountersignError("closed", "This store is closed.");
  }

  /** Reads are many and short: nothing is awaited that need not be. */
  async #read<T>(run: () => Promise<T> | T): Promise<T> {
    this.#checkOpen();
    try {
      const check = this.#writer.trusted();
      if (check !== undefined) await check;
      return await run();
    } catch (error) {
      throw asOurs(error);
    }
  }
}

/** Whatever the client threw becomes one of ours. */
function asOurs(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  return new CountersignError("store_failed", `Redis: ${(error as Error).message}`, { cause: error });
}

function malformed(): CountersignError {
  return new CountersignError("invalid_change", "It was not well formed; nothing was changed.");
}
