import { CountersignError } from "../core/errors.js";
import type { Clock, Store } from "../core/ports.js";
import { Connection, connect, type RedisClient } from "./redis/connection.js";
import { begin, lift, renew } from "./redis/fence.js";
import { Keys } from "./redis/keys.js";
import { fitServer, promisesOf, warnIfWeak } from "./redis/server.js";
import { RedisStore } from "./redis/store.js";
import { cancelOpen } from "./redis/void.js";

export type { RedisClient } from "./redis/connection.js";

export interface RedisOptions {
  /** Where to connect to, as `redis://user:password@host:6379/0`. Either this or a client. */
  readonly url?: string;
  /** A client that is connected already; it stays open when the store is closed. */
  readonly client?: RedisClient;
  /** Names the data: stores with the same prefix on the same server are one. */
  readonly prefix?: string;
  /** For tests. Without it the server's own clock decides what is late. */
  readonly clock?: Clock;
  /** Whether questions are also kept under `pending_app_skill:{user_id}:{app_skill_id}` for others to read. They are by default. */
  readonly mirror?: boolean;
  /** The id of a fence that a person has looked at: it is taken down, and every approval that was open is cancelled. */
  readonly renew?: string;
}

/**
 * One Redis primary, shared by any number of instances. Looks at the server first: refuses one that may drop what it is given,
 * and warns of one that may lose it. Rejects when the data is fenced, see `renew`.
 */
export async function redisStore(options: RedisOptions): Promise<Store> {
  const keys = new Keys(checkPrefix(options.prefix ?? "countersign"));
  const connection = await open(options);
  try {
    return await openStore(connection, keys, options);
  } catch (error) {
    connection.close();
    if (error instanceof CountersignError) throw error;
    throw new CountersignError("store_failed", `Redis: ${(error as Error).message}`, { cause: error });
  }
}

async function openStore(connection: Connection, keys: Keys, options: RedisOptions): Promise<Store> {
  const server = await fitServer(connection);
  warnIfWeak(promisesOf(server));
  const { clock, mirror = true } = options;
  const parts = { connection, keys, server, clock, mirror };
  const renewed = options.renew === undefined ? undefined : await renew(connection, keys, options.renew);
  if (renewed !== undefined) {
    const behind = new RedisStore({ ...parts, mark: renewed });
    await behind.synchronise();
    await cancelOpen(behind, connection, keys);
    await lift(connection, keys, renewed);
  }
  const store = new RedisStore({ ...parts, mark: await begin(connection, keys) });
  await store.synchronise();
  return store;
}

async function open({ url, client }: RedisOptions): Promise<Connection> {
  if (client !== undefined) return new Connection(client, false);
  if (url !== undefined) return new Connection(await connect(url), true);
  throw new CountersignError("invalid_call", "The Redis store needs a url or a client.");
}

/** Braces and patterns have a meaning in names of keys. */
function checkPrefix(prefix: string): string {
  if (/^[\w.-]{1,100}$/.test(prefix)) return prefix;
  throw new CountersignError("invalid_call", "A prefix is made of letters, digits, dots, dashes and underscores.");
}
