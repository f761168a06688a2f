import { createHash } from "node:crypto";
import type * as RedisPackage from "@redis/client";
import { systemClock } from "../../core/clock.js";
import { CountersignError } from "../../core/errors.js";

/** What is needed of a client. That of `@redis/client` fits; others need a few lines around them. */
export interface RedisClient {
  readonly isReady: boolean;
  /** Texts go out as UTF-8. */
  sendCommand(args: readonly string[]): Promise<unknown>;
  /** A second connection to the same server, not yet connected: waiting for news blocks the one it waits on. */
  duplicate(): RedisClient;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: "error" | "ready", listener: () => void): unknown;
}

/** How long a call waits for a connection that was cut to come back. Past that it fails, and nothing is approved by it. */
const PATIENCE = 1_000;
/** How long the server may take. A commit that took longer has an outcome nobody knows. */
const ANSWER_WITHIN = 10_000;
const LOOK_EVERY = 1_000;

/** How often a client was connected, and who waits until it is again. */
interface Watch {
  connected: number;
  readonly waiting: Set<() => void>;
}

/** One pair of listeners a client, for ever: taking the last one off `@redis/client` cuts off all that come after. */
const watches = new WeakMap<RedisClient, Watch>();

function watchOf(client: RedisClient): Watch {
  const known = watches.get(client);
  if (known !== undefined) return known;
  const watch: Watch = { connected: 0, waiting: new Set() };
  watches.set(client, watch);
  // Without a listener a cut connection would end the process; calls are told by their own rejection.
  client.on("error", () => {});
  client.on("ready", () => {
    watch.connected++;
    for (const go of watch.waiting) go();
  });
  return watch;
}

/** A client with limits to its patience, and scripts that are sent once. */
export class Connection {
  readonly client: RedisClient;
  readonly #owned: boolean;
  readonly #watch: Watch;

  constructor(client: RedisClient, owned: boolean) {
    this.client = client;
    this.#owned = owned;
    this.#watch = watchOf(client);
  }

  /** Counts how often the connection came back: what was true of the server before may not be true now. */
  get connected(): number {
    return this.#watch.connected;
  }

  send(...args: readonly string[]): Promise<unknown> {
    return this.#send(args);
  }

  /** Runs a script that the server knows; rejects with what `isForgotten` tells where it does not. Keeps nothing of what it sends. */
  call({ sha }: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#send(["EVALSHA", sha, String(keys.length), ...keys, ...args]);
  }

  /** The same for a script with few words: where the server has forgotten it, the text is sent along. */
  async run(asked: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    try {
      return await this.call(asked, keys, args);
    } catch (error) {
      if (!isForgotten(error)) throw error;
      return this.send("EVAL", asked.text, String(keys.length), ...keys, ...args);
    }
  }

  close(): void {
    if (this.#owned) this.client.destroy();
  }

  #send(args: readonly string[]): Promise<unknown> {
    if (this.client.isReady) return answered(this.client.sendCommand(args));
    return this.#ready().then(() => answered(this.client.sendCommand(args)));
  }

  #ready(): Promise<void> {
    const { waiting } = this.#watch;
    return new Promise((resolve, reject) => {
      const go = () => {
        cancel();
        waiting.delete(go);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(go);
        reject(new CountersignError("store_failed", "Redis cannot be reached."));
      };
      const cancel = systemClock.timer(PATIENCE, giveUp, true);
      waiting.add(go);
    });
  }
}

export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** The server forgets scripts when it restarts or is told to. */
export function isForgotten(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

interface Asked {
  /** By a clock that nobody sets: one that is set back must make nobody wait for longer. */
  readonly since: number;
  readonly giveUp: () => void;
}

/** What was asked and not answered yet, of all servers; looked through by one timer while there is anything. */
const unanswered = new Set<Asked>();
let looking = false;

function answered<T>(reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      reject(
        new CountersignError("store_failed", "Redis did not answer. Whether it did what it was asked is unknown."),
      );
    const asked: Asked = { since: performance.now(), giveUp };
    unanswered.add(asked);
    lookLater();
    reply.then(resolve, reject).finally(() => unanswered.delete(asked));
  });
}

function lookLater(): void {
  if (looking || unanswered.size === 0) return;
  looking = true;
  systemClock.timer(LOOK_EVERY, () => {
    looking = false;
    for (const asked of unanswered) {
      if (performance.now() - asked.since < ANSWER_WITHIN) break;
      unanswered.delete(asked);
      asked.giveUp();
    }
    lookLater();
  });
}

/** Opens a connection of our own. */
export async function connect(url: string): Promise<RedisClient> {
  const { createClient } = await load();
  // A server that was there may come back; one that never was is told at once.
  const reconnectStrategy = (retries: number, cause: Error) =>
    watchOf(client).connected > 0 ? pauseBefore(retries) : cause;
  // Nothing waits in a queue of the client's: what it sends late would be judged by a time that has passed.
  // Its own limit on time costs a signal a command; ours is one timer for all.
  const settings = {
    url,
    RESP: 2 as const,
    disableOfflineQueue: true,
    commandOptions: { timeout: 0 },
    socket: { reconnectStrategy },
  };
  const client = createClient(settings) as unknown as RedisClient;
  watchOf(client);
  try {
    await answered(client.connect());
  } catch (cause) {
    client.destroy();
    throw new CountersignError("store_failed", `Redis cannot be reached: ${(cause as Error).message}`, { cause });
  }
  return client;
}

const MAX_PAUSE = 500;

function pauseBefore(retries: number): number {
  return Math.min(20 * 2 ** Math.min(retries, 10), MAX_PAUSE);
}

async function load(): Promise<typeof RedisPackage> {
  try {
    return await import("@redis/client");
  } catch (cause) {
    throw new CountersignError(
      "missing_dependency",
      'The Redis store needs the "@redis/client" package. Install it (npm i @redis/client), or pass a client: redisStore({ client }).',
      { cause },
    );
  }
}

/** Maps come as lists of pairs in turn, or as objects, by the protocol that the client speaks. */
export function pairsOf(reply: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(reply)) {
    return reply.flatMap((key, i) => (i % 2 === 0 ? [[String(key), reply[i + 1] as unknown] as const] : []));
  }
  if (reply instanceof Map) return [...(reply as Map<string, unknown>)];
  return Object.entries((reply ?? {}) as Record<string, unknown>);
}
