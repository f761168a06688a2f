import { CountersignError } from "../../core/errors.js";
import { newId } from "../../core/ids.js";
import { type Connection, script } from "./connection.js";
import type { Keys } from "./keys.js";

/*
 * A fence against data that came back older, or empty. The store holds a random generation and the number of its writes; every
 * process remembers both as it last saw them acknowledged, and every commit compares them inside its script. Data that was
 * flushed has no generation, a restored copy has fewer writes than somebody saw, and after a failover the write somebody
 * remembers is another one's. Whoever finds that out raises the fence: from then on nobody writes, on any instance, because
 * a mark that is missing would else be read as "not used yet". A person looks, and opens the store with the fence's id.
 */

const FORMAT = "2";

/** How far this process knows the data. */
export interface Mark {
  readonly generation: string;
  readonly writes: number;
}

const BEGIN = script(`
local mark = redis.call('HMGET', KEYS[1], 'format', 'generation', 'writes', 'fenced')
if not mark[2] and not mark[4] then
  redis.call('HSET', KEYS[1], 'format', ARGV[1], 'generation', ARGV[2], 'writes', '0')
  mark = {ARGV[1], ARGV[2], '0', false}
end
for i = 1, 4 do mark[i] = mark[i] or '' end
return mark
`);

/** A generation that was left behind stops whoever still works under it, and nobody else. */
const RAISE = script(`
local mark = redis.call('HMGET', KEYS[1], 'generation', 'writes', 'fenced', 'was:' .. ARGV[1])
if mark[3] then return mark[3] end
if mark[4] then return '- renewed' end
local same = mark[1] == ARGV[1]
if same and tonumber(mark[2] or '0') >= tonumber(ARGV[2]) and ARGV[4] ~= 'forked' then return '' end
local fenced = ARGV[3] .. ' ' .. (same and ARGV[4] or (mark[1] and 'replaced' or 'flushed'))
redis.call('HSET', KEYS[1], 'fenced', fenced, 'was:' .. ARGV[1], '1')
return fenced
`);

const RENEW = script(`
local mark = redis.call('HMGET', KEYS[1], 'fenced', 'generation', 'format')
if mark[3] and mark[3] ~= ARGV[3] then return mark[3] end
if not mark[1] or string.sub(mark[1], 1, #ARGV[1]) ~= ARGV[1] then return false end
if mark[2] then redis.call('HSET', KEYS[1], 'was:' .. mark[2], '1') end
redis.call('HSET', KEYS[1], 'format', ARGV[3], 'generation', ARGV[2])
redis.call('HSETNX', KEYS[1], 'writes', '0')
return {mark[1], redis.call('HGET', KEYS[1], 'writes')}
`);

const LIFT = script(`
if redis.call('HGET', KEYS[1], 'fenced') == ARGV[1] then redis.call('HDEL', KEYS[1], 'fenced') end
`);

/** The mark that stands; an empty database gets its first one. Refuses data that is fenced, or of another version of this store. */
export async function begin(connection: Connection, keys: Keys): Promise<Mark> {
  const reply = await connection.run(BEGIN, [keys.store], [FORMAT, newId()]);
  const [format, generation, writes, fenced] = reply as [string, string, string, string];
  if (fenced !== "") throw fencedError(fenced);
  if (format !== FORMAT) throw formatError(format);
  return { generation, writes: Number(writes) };
}

function formatError(format: string): CountersignError {
  return new CountersignError(
    "store_failed",
    `This Redis data has format ${format}; this version knows ${FORMAT}. Use the version that wrote it, or another prefix.`,
  );
}

/** Stops every instance, unless the data is what this process knows after all. */
export async function raise(connection: Connection, keys: Keys, known: Mark, how: "behind" | "forked"): Promise<void> {
  const args = [known.generation, String(known.writes), newId(), how];
  const fenced = String(await connection.run(RAISE, [keys.store], args));
  if (fenced !== "") throw fencedError(fenced);
}

/** A new generation behind the fence of this id, if it stands: only its holder can write until the fence is lifted. */
export async function renew(connection: Connection, keys: Keys, fenceId: string): Promise<(Mark & Fence) | undefined> {
  const generation = newId();
  const reply = await connection.run(RENEW, [keys.store], [`${fenceId} `, generation, FORMAT]);
  if (typeof reply === "string") throw formatError(reply);
  if (!Array.isArray(reply)) return undefined;
  return { generation, writes: Number(reply[1]), fence: String(reply[0]) };
}

interface Fence {
  readonly fence: string;
}

export async function lift(connection: Connection, keys: Keys, { fence }: Fence): Promise<void> {
  await connection.run(LIFT, [keys.store], [fence]);
}

/**
 * Whether the last write this process remembers is still there, and nobody else's. Asked whenever a connection comes back,
 * for the server behind it may be another one.
 */
export async function isForked(connection: Connection, keys: Keys, last: number, by: string): Promise<boolean> {
  if (last === 0) return false;
  const at = `${last}-0`;
  const rows = (await connection.send("XRANGE", keys.wake, at, at)) as [string, string[]][];
  const [row] = rows;
  if (row !== undefined) return row[1][1] !== by;
  // So many writes later that it is not kept any more proves nothing either way; a missing recent one proves the loss.
  const oldest = (await connection.send("XRANGE", keys.wake, "-", "+", "COUNT", "1")) as [string, string[]][];
  return oldest[0] === undefined || Number.parseInt(oldest[0][0], 10) <= last;
}

const WHAT_HAPPENED: Readonly<Record<string, string>> = {
  flushed: "it was emptied while instances were working with it",
  replaced: "other data stands where instances had theirs",
  behind: "it holds less than instances have seen acknowledged, as a restored copy does or a failover that lost writes",
  forked: "writes that instances have seen acknowledged were replaced by others, as after a failover that lost writes",
};

/** Whoever meets it has seen what is not there any more, and stops for good. */
export class FencedError extends CountersignError {}

export function fencedError(fenced: string): FencedError {
  const [id = "", how = ""] = fenced.split(" ");
  if (how === "renewed") {
    return new FencedError("store_failed", "Redis was fenced and renewed meanwhile. Restart this instance.");
  }
  return new FencedError(
    "store_failed",
    `Redis is fenced: ${WHAT_HAPPENED[how] ?? "it cannot be trusted"}. Nothing is decided or started, because what has run may ` +
      `look as if it had not. Look at what is missing; to go on, which cancels every open approval, start once with ` +
      `countersign serve --renew ${id}, or redisStore({ renew: "${id}" }).`,
  );
}
