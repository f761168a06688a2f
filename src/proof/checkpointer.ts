import { ChainVerifier } from "../core/audit.js";
import { systemClock } from "../core/clock.js";
import type { Clock, Notice, Store } from "../core/ports.js";
import { timed } from "../core/timed.js";
import { type Checkpoint, openCheckpoint, signCheckpoint } from "./checkpoint.js";
import { entriesOf } from "./export.js";
import type { SigningKey } from "./key.js";
import type { Sink } from "./sinks.js";
import { checkAgainst } from "./verify.js";

export interface CheckpointerOptions {
  readonly store: Store;
  readonly key: SigningKey;
  /** Public keys of earlier times, whose checkpoints still count. */
  readonly trusted?: readonly string[];
  readonly sinks: readonly Sink[];
  readonly workspaces: Workspaces;
  /** A checkpoint is made after so many entries, or after so long when there is anything new. */
  readonly everyEntries?: number;
  readonly everyMs?: number;
  readonly clock?: Clock;
  readonly notice?: Notice;
}

/** Which workspaces there are: a list, or a question asked again each time. */
export type Workspaces = readonly string[] | (() => Promise<readonly string[]>);

export interface CheckpointStatus {
  readonly workspaces: readonly {
    readonly workspaceId: string;
    readonly entries: number;
    readonly signedTo: number;
    readonly signedAt?: number;
  }[];
  /** `behind`: entries of all workspaces that this sink does not vouch for yet. */
  readonly sinks: readonly { readonly name: string; readonly behind: number; readonly failing?: string }[];
}

export interface Checkpointer {
  /** Signs everything that is new, now, and hands it to the sinks. */
  sign(): Promise<void>;
  /** How far the proof lags behind. */
  status(): CheckpointStatus;
  /** Signs what is left and stops. Close it before the store. */
  close(): Promise<void>;
}

/** Many changes at once are looked at once. */
const LOOK_DELAY = 100;
/** A sink that does not answer must not hold up the end of the process. */
const CLOSE_WAIT = 5_000;

interface Followed {
  entries: number;
  signed: Checkpoint | undefined;
}

interface SinkState {
  readonly sink: Sink;
  readonly keptTo: Map<string, number>;
  /** Set and cleared in step with the work itself; the promise is for whoever wants to see its end. */
  busy: boolean;
  writing: Promise<void>;
  failing: string | undefined;
}

/**
 * Signs checkpoints of a store's chains and keeps them in its sinks. Refuses to start on a store that is older than what the
 * sinks know, and while a sink cannot say what it knows, so create it before the gate. From then on it holds up nothing: a sink that fails is reported and tried again.
 */
export async function createCheckpointer(options: CheckpointerOptions): Promise<Checkpointer> {
  const checkpointer = new StoreCheckpointer(options);
  await checkpointer.start();
  return checkpointer;
}

class StoreCheckpointer implements Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #clock: Clock;
  readonly #publicKeys: readonly string[];
  readonly #followed = new Map<string, Followed>();
  readonly #sinks: readonly SinkState[];
  #lastLook: Promise<void> = Promise.resolve();
  #cancelHint: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#publicKeys = [options.key.publicKey, ...(options.trusted ?? [])];
    this.#sinks = options.sinks.map((sink) => ({
      sink,
      keptTo: new Map(),
      busy: false,
      writing: Promise.resolve(),
      failing: undefined,
    }));
  }

  async start(): Promise<void> {
    for (const workspaceId of await this.#workspaces()) await this.#follow(workspaceId);
    this.#stopWatching = this.#options.store.watch(() => this.#hint());
    this.#schedule();
  }

  async sign(): Promise<void> {
    await this.#look(1);
    await Promise.all(this.#sinks.map(({ writing }) => writing));
  }

  status(): CheckpointStatus {
    const followed = [...this.#followed];
    const behind = ({ keptTo }: SinkState) =>
      followed.reduce((sum, [workspaceId, { entries }]) => sum + entries - (keptTo.get(workspaceId) ?? 0), 0);
    return {
      workspaces: followed.map(([workspaceId, { entries, signed }]) => ({
        workspaceId,
        entries,
        signedTo: signed?.seq ?? 0,
        ...(signed === undefined ? {} : { signedAt: signed.time }),
      })),
      sinks: this.#sinks.map((state) => ({
        name: state.sink.name,
        behind: behind(state),
        ...(state.failing === undefined ? {} : { failing: state.failing }),
      })),
    };
  }

  async close(): Promise<void> {
    this.#stopWatching?.();
    this.#cancelHint?.();
    this.#cancelTimer?.();
    await timed(this.#clock, this.sign(), CLOSE_WAIT);
  }

  async #workspaces(): Promise<readonly string[]> {
    const { workspaces } = this.#options;
    return typeof workspaces === "function" ? workspaces() : workspaces;
  }

  /** Goes on from the newest checkpoint that any sink has; throws when the store is behind it. */
  async #follow(workspaceId: string): Promise<Followed> {
    const known = this.#followed.get(workspaceId);
    if (known !== undefined) return known;
    const kept = await Promise.all(this.#sinks.map(async ({ sink }) => (await sink.read?.(workspaceId)) ?? []));
    const trust = { checkpoints: kept.flat(), publicKeys: this.#publicKeys };
    const signed = await checkAgainst(this.#options.store, workspaceId, trust);
    for (const [index, notes] of kept.entries()) {
      const keptTo = notes
        .map((note) => openCheckpoint(note, this.#publicKeys))
        .filter((checkpoint) => checkpoint.workspaceId === workspaceId)
        .reduce((last, { seq }) => Math.max(last, seq), 0);
      this.#sinks[index]?.keptTo.set(workspaceId, keptTo);
    }
    const followed = { entries: signed?.seq ?? 0, signed };
    this.#followed.set(workspaceId, followed);
    return followed;
  }

  /** Looks at every chain, one look at a time, and signs those that grew by at least so many entries. */
  #look(atLeast: number): Promise<void> {
    const look = this.#lastLook.then(() => this.#lookOnce(atLeast));
    this.#lastLook = look.catch(() => {});
    return look;
  }

  async #lookOnce(atLeast: number): Promise<void> {
    for (const workspaceId of await this.#workspaces()) {
      const followed = await this.#follow(workspaceId);
      const head = await this.#options.store.checkpoint(workspaceId);
      followed.entries = Math.max(head.seq, followed.entries);
      if (head.seq - (followed.signed?.seq ?? 0) >= atLeast) await this.#signNext(workspaceId, followed);
    }
    for (const state of this.#sinks) if (!state.busy) state.writing = this.#hand(state);
  }

  /** Signs only a history that goes on from the one signed before: it never vouches for a rewritten one. */
  async #signNext(workspaceId: string, followed: Followed): Promise<void> {
    const { store, key, notice } = this.#options;
    const head = await store.checkpoint(workspaceId);
    const from = followed.signed?.seq ?? 0;
    const verifier = new ChainVerifier(workspaceId, [head], followed.signed);
    let seq = from;
    for await (const entry of entriesOf(store, workspaceId, from)) {
      if (entry.seq > head.seq || verifier.add(entry) !== undefined) break;
      seq = entry.seq;
    }
    if (seq !== head.seq) {
      notice?.("chain.broken", { workspaceId, seq: seq + 1 });
      return;
    }
    const note = signCheckpoint(head, store.time(), key);
    followed.signed = openCheckpoint(note, this.#publicKeys);
    // Beside the chain too: it proves nothing there, but evidence can be exported with it.
    await store.checkpoint(workspaceId, note);
  }

  /** Brings one sink up to date. Others do not wait for it, and neither does anybody else. */
  async #hand(state: SinkState): Promise<void> {
    const { sink, keptTo } = state;
    state.busy = true;
    try {
      // Also what is signed while this writes.
      for (let next = this.#nextFor(keptTo); next !== undefined; next = this.#nextFor(keptTo)) {
        await sink.write(next.note, next.workspaceId);
        keptTo.set(next.workspaceId, next.seq);
      }
      state.failing = undefined;
    } catch (error) {
      state.failing = (error as Error).message;
      this.#options.notice?.("checkpoint.failed", { sink: sink.name, why: state.failing });
    } finally {
      state.busy = false;
    }
  }

  #nextFor(keptTo: ReadonlyMap<string, number>): Checkpoint | undefined {
    const signed = [...this.#followed.values()].flatMap((followed) => followed.signed ?? []);
    return signed.find((checkpoint) => (keptTo.get(checkpoint.workspaceId) ?? 0) < checkpoint.seq);
  }

  #hint(): void {
    this.#cancelHint ??= this.#clock.timer(LOOK_DELAY, () => {
      this.#cancelHint = undefined;
      this.#quietly(this.#options.everyEntries ?? 100);
    });
  }

  #schedule(): void {
    this.#cancelTimer = this.#clock.timer(this.#options.everyMs ?? 60_000, () => {
      this.#quietly(1);
      this.#schedule();
    });
  }

  #quietly(atLeast: number): void {
    this.#look(atLeast).catch((error: Error) => this.#options.notice?.("checkpoint.failed", { why: error.message }));
  }
}
