import { MIRROR_FIELDS } from "./mirror.js";
import { LENGTH_WIDTH } from "./pack.js";

/** How many texts a mirror takes: how long it lives, and a value for each field. */
const MIRROR_SIZE = 1 + MIRROR_FIELDS.length;

/** Fields as a command takes them: each name, and the text at its place. */
const FIELDS = MIRROR_FIELDS.map((field, index) => `'${field}', args[at + ${index + 1}]`);

/*
 * Writes a group that the client has judged and linked, if everything is as the client believed. Redis runs a script alone and
 * writes what it did to its log as one piece, but undoes nothing when a script fails: so everything is compared before the
 * first write. Nothing is judged here: a belief that does not hold is answered, and the client judges again.
 *
 * KEYS are the mark, the wake-ups, the chains, the sorted sets, the mirrors to set and to remove, and last the texts: those to
 * set, to set for a while, to remove, and only to look at. ARGV are the plan as JSON (see plan.ts) and all texts in one (see
 * pack.ts): first the lines with which those under the keys are expected to begin, then what is written, in the order of the
 * keys.
 *
 *   done   everything was so, and is written
 *   stale  somebody else was faster; the answer tells how the texts begin that are not as expected
 *   time   the clock here is more than SKEW away, or not on the same side of a limit
 *   late   it came over a connection that the client has given up, and may have been sent again since
 *   lost   this is not the data the client knows, or less of it
 *   fenced somebody found that out before
 */
export const COMMIT_SCRIPT: string = `
local SKEW = 1000
local KEEP_WAKES = 100000
-- So many fit on the stack.
local PIECE = 4000

local plan = cjson.decode(ARGV[1])
local mark = redis.call('HMGET', KEYS[1], 'generation', 'writes', 'fenced', 'connection:' .. plan.by)
if mark[3] and mark[3] ~= plan.fence then return {'fenced', mark[3]} end
if mark[1] ~= plan.generation or tonumber(mark[2] or '0') < plan.known then return {'lost'} end
if tonumber(mark[4] or '0') ~= plan.connection then return {'late'} end

local clock = plan.now
if plan.server then
  local t = redis.call('TIME')
  clock = t[1] * 1000 + math.floor(t[2] / 1000)
  if math.abs(clock - plan.now) > SKEW then return {'time', clock} end
end

local args, offset = {}, 1
for from = 1, plan.args, PIECE do
  local count = math.min(PIECE, plan.args - from + 1)
  local piece = {struct.unpack(string.rep('c${LENGTH_WIDTH}c0', count), ARGV[2], offset)}
  for i = 1, count do args[from + i - 1] = piece[i] end
  offset = piece[count + 1]
end

local firstText, texts = #KEYS - plan.texts, plan.texts
local stale, found = {}, {}
for from = 1, texts, PIECE do
  local till = math.min(from + PIECE - 1, texts)
  local values = redis.call('MGET', unpack(KEYS, firstText + from, firstText + till))
  for i, value in ipairs(values) do
    local place = from + i - 1
    local expected = args[place]
    if expected == '' and value or expected ~= '' and (not value or string.find(value, expected, 1, true) ~= 1) then
      stale[#stale + 1] = place
      stale[#stale + 1] = value and string.match(value, '^[^\\n]*\\n') or ''
    end
    found[place] = value
  end
end
if #stale > 0 then return {'stale', clock, stale} end

for _, window in ipairs(plan.windows) do
  local time = math.max(clock, window[1])
  if time < window[2] or time >= window[3] then return {'time', clock} end
end
for _, chain in ipairs(plan.chains) do
  if redis.call('HLEN', KEYS[chain[1]]) ~= chain[2] then
    return redis.error_reply('ERR somebody else has written to ' .. KEYS[chain[1]])
  end
end

local key, arg = firstText, texts

-- A command for one key with many arguments, or for many keys.
local function many(command, list, from, till, first)
  for start = from, till, PIECE do
    local stop = math.min(start + PIECE - 1, till)
    if first then redis.call(command, first, unpack(list, start, stop)) else redis.call(command, unpack(list, start, stop)) end
  end
end

for _, write in ipairs(plan.writes) do
  many(write[1], args, arg + 1, arg + write[3], KEYS[write[2]])
  arg = arg + write[3]
end
local rows = {}
for i = 1, plan.set do
  rows[2 * i - 1] = KEYS[key + i]
  rows[2 * i] = args[arg + i]
end
many('MSET', rows, 1, #rows)
key, arg = key + plan.set, arg + plan.set
for i = 1, plan.lent do
  redis.call('SET', KEYS[key + i], args[arg + 2 * i - 1], 'PX', args[arg + 2 * i])
end
key, arg = key + plan.lent, arg + 2 * plan.lent
many('DEL', KEYS, key + 1, key + plan.gone)

-- These keys are not ours alone: what others keep there must not stop a write half-way.
local mirrors = plan.mirrors
for i = 1, mirrors[2] do
  local name, at = KEYS[mirrors[1] + i], arg + (i - 1) * ${MIRROR_SIZE} + 1
  local kept
  -- Details, the last of them, are those that stand there if none came.
  if args[at + ${MIRROR_FIELDS.length}] == '' then
    kept = redis.pcall('HSET', name, ${FIELDS.slice(0, -1).join(", ")})
  else
    kept = redis.pcall('HSET', name, ${FIELDS.join(", ")})
  end
  if tonumber(kept) then redis.call('PEXPIRE', name, args[at]) end
end
many('DEL', KEYS, mirrors[1] + mirrors[2] + 1, mirrors[1] + mirrors[2] + mirrors[3])

local writes = tonumber(mark[2])
if plan.wrote then
  writes = redis.call('HINCRBY', KEYS[1], 'writes', 1)
  redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', KEEP_WAKES, string.format('%.0f', writes) .. '-0', 'by', plan.by,
    unpack(plan.heads))
end
local wanted = {}
for i, place in ipairs(plan.wanted) do wanted[i] = found[place] end
return {'done', clock, writes, wanted}
`;
