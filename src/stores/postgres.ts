import { genesis } from "../core/audit.js";
import { systemClock } from "../core/clock.js";
import { CountersignError } from "../core/errors.js";
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
} from "../core/ports.js";
import { isStorable } from "../core/storable.js";
import { emptyHead } from "./apply.js";
import { openPool, type PostgresPool, storeFailure } from "./postgres/driver.js";
import { migrate } from "./postgres/migrate.js";
import { Reader } from "./postgres/reader.js";
import { ServerClock } from "./postgres/server-clock.js";
import { Statements } from "./postgres/statements.js";
import { promisesOf } from "./postgres/trust.js";
import { WakeUps } from "./postgres/wake-ups.js";
import { Writer } from "./postgres/writer.js";

export type { PostgresClient, PostgresPool, PostgresQuery } from "./postgres/driver.js";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. Either this or a pool. */
  readonly url?: string;
  /** A pool of the "pg" package. It stays the caller's: `close` does not end it. */
  readonly pool?: PostgresPool;
  /** Where the tables are, default `countersign`. */
  readonly schema?: string;
  /** With `url`: most connections at a time, default 10. One of them listens. */
  readonly maxConnections?: number;
  /** With `url`: milliseconds after which the server gives a statement up, default 10,000. */
  readonly statementTimeout?: number;
  /** False only checks that the schema is up to date, for roles that may not create tables. */
  readonly migrate?: boolean;
  /** False learns of other instances' commits by polling alone, as behind a pooler that shares sessions. */
  readonly listen?: boolean;
  /** Milliseconds between two looks for other instances' commits, default 1,000. */
  readonly pollEvery?: number;
  /** Starts on a server that may lose what it acknowledged (`fsync`, `full_page_writes` or `synchronous_commit` off). */
  readonly acceptLoss?: boolean;
  /** Judges time instead of the server's own clock. For tests: every instance has to be given the same one. */
  readonly clock?: Clock;
}

/** What Postgres takes unquoted, short enough to be part of the names of statements and channels. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,39}$/;

/**
 * Many instances, one truth: durable when acknowledged, for every instance. Resolves once the server is known to keep its
 * promises and the schema is up to date; rejects with what to do otherwise.
 */
export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const { url, schema = "countersign", maxConnections, statementTimeout, acceptLoss = false } = options;
  if (!SCHEMA.test(schema))
    throw new CountersignError(
      "invalid_call",
      "A schema is named by up to 40 lower-case letters, digits and underscores.",
    );
  if ((url === undefined) === (options.pool === undefined))
    throw new CountersignError("invalid_call", "The Postgres store needs either a url or a pool.");
  const own =
    url === undefined
      ? undefined
      : await openPool({
          url,
          acceptLoss,
          ...(maxConnections !== undefined && { max: maxConnections }),
          ...(statementTimeout !== undefined && { statementTimeout }),
        });
  const pool = options.pool ?? (own as PostgresPool);
  try {
    const promises = await promisesOf(pool, acceptLoss);
    await migrate(pool, schema, { apply: options.migrate ?? true });
    return new PostgresStore(pool, schema, promises, await ServerClock.of(pool), options);
  } catch (error) {
    await own?.end();
    throw storeFailure(error);
  }
}

const SWEEP_EVERY = 600_000;
/** How long a key or counter that is over is kept: no clock is set back further than this. */
const SWEEP_AFTER = 86_400_000;
const SWEEP_LIMIT = 10_000;

class PostgresStore implements Store {
  /** One is put into words and sent here while the server is at work on the other; it waits there for the head's lock. */
  readonly groupsAtOnce = 2;
  readonly #statements: Statements;
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #wakeUps: WakeUps;
  readonly #promises: Promises;
  readonly #clock: Clock | undefined;
  readonly #ownsPool: boolean;
  readonly #listeners = new Set<() => void>();
  #cancelSweep: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(pool: PostgresPool, schema: string, promises: Promises, clock: ServerClock, options: PostgresOptions) {
    this.#statements = new Statements(pool, schema);
    this.#reader = new Reader(this.#statements, () => this.#now());
    this.#clock = options.clock;
    this.#writer = new Writer(this.#statements, options.clock, clock, !options.acceptLoss);
    this.#wakeUps = new WakeUps({
      pool,
      channel: schema,
      listen: options.listen ?? true,
      pollEvery: options.pollEvery ?? 1_000,
      hint: () => this.#hint(),
      clock,
    });
    this.#promises = promises;
    this.#ownsPool = options.pool === undefined;
    this.#scheduleSweep();
  }

  async commit(group: readonly Change[]): Promise<readonly Applied[]> {
    this.#checkOpen();
    const applied = await this.#writer.commit(group);
    if (applied.some(({ ok }) => ok)) this.#written();
    return applied;
  }

  async changed(changes: readonly ChangeRef[]): Promise<ReadonlyMap<string, Extract<Applied, { ok: true }>>> {
    this.#checkOpen();
    return this.#writer.changed(changes);
  }

  async get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    this.#checkOpen();
    return isStorable(id) ? this.#reader.get(kind, id) : undefined;
  }

  async list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]> {
    this.#checkOpen();
    return isStorable(index) && isStorable(after) ? this.#reader.list(index, after, limit) : [];
  }

  async latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]> {
    this.#checkOpen();
    return isStorable(index) && isStorable(before) ? this.#reader.latest(index, before, limit) : [];
  }

  async due(kind: Kind, limit: number): Promise<readonly StoredRecord[]> {
    this.#checkOpen();
    return this.#reader.due(kind, limit);
  }

  async count(key: string): Promise<number> {
    this.#checkOpen();
    return isStorable(key) ? this.#reader.count(key) : 0;
  }

  async entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    this.#checkOpen();
    return isStorable(workspaceId) ? this.#reader.entries(workspaceId, after, limit) : [];
  }

  async erase(refs: Erasure, entry: NewEntry): Promise<void> {
    this.#checkOpen();
    await this.#writer.erase(refs, entry);
    this.#written();
  }

  async checkpoint(workspaceId: string, signed?: string): Promise<Head & { readonly signed?: string }> {
    this.#checkOpen();
    if (signed !== undefined) await this.#sign(workspaceId, signed);
    return isStorable(workspaceId) ? this.#reader.head(workspaceId) : emptyHead(workspaceId);
  }

  /** May be done twice, and so is simply done again when the connection broke. */
  async #sign(workspaceId: string, signed: string): Promise<void> {
    if (!isStorable(workspaceId) || !isStorable(signed))
      throw new CountersignError("invalid_change", "A checkpoint is text without NUL characters.");
    await this.#statements.read("addHead", [workspaceId, genesis(workspaceId)]);
    await this.#statements.read("sign", [workspaceId, signed]);
    this.#written();
  }

  watch(listener: () => void): () => void {
    this.#checkOpen();
    this.#listeners.add(listener);
    this.#wakeUps.start();
    return () => this.#listeners.delete(listener);
  }

  time(): number {
    return this.#writer.time();
  }

  promises(): Promises {
    return this.#promises;
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#listeners.clear();
    this.#cancelSweep?.();
    await this.#wakeUps.stop();
    if (this.#ownsPool) await this.#statements.pool.end();
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new CountersignError("closed", "This store is closed.");
  }

  #now(): number | null {
    return this.#clock?.now() ?? null;
  }

  #written(): void {
    this.#wakeUps.announce();
    this.#hint();
  }

  #hint(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Keys and counters whose time is over count as absent; without this their rows would stay for ever. */
  #scheduleSweep(): void {
    this.#cancelSweep = systemClock.timer(SWEEP_EVERY * (0.5 + Math.random()), () => {
      const values = [this.#now(), SWEEP_AFTER, SWEEP_LIMIT];
      const swept = [this.#statements.run("sweepHeld", values), this.#statements.run("sweepCounted", values)];
      void Promise.allSettled(swept).then(() => this.#closed ?? this.#scheduleSweep());
    });
  }
}
