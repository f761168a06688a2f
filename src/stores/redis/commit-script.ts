/*
 * Applies a group of changes in one go. Redis runs a script alone and writes what it did to its log as one piece, but undoes
 * nothing when a script fails: so every condition of a change is judged before its first write.
 *
 * KEYS are named by their place. ARGV[1] is the plan as JSON (see plan.ts), the others are texts that it names by place.
 *
 * The client has linked the entries to the heads it knows and to a time it believes. Both are compared here:
 *   head   somebody else was faster; the answer tells the heads, and the client links again
 *   time   the clock here says something else, more than SKEW away
 *   lost   this is not the data the client knows, or less of it
 *   fenced somebody found that out before
 *   done   the changes up to the first that could not be judged as it was linked; the client sends the rest again
 */
export const COMMIT_SCRIPT: string = `
local SKEW = 1000
local KEEP_WAKES = 100000
-- How long a key outlives its own time. It is only swept away by then; whether it counts is judged by the time it holds.
local SLACK = 3600000
local LONGEST = 315360000000

local plan = cjson.decode(ARGV[1])
local mark = redis.call('HMGET', KEYS[1], 'generation', 'writes', 'fenced')
if mark[3] and mark[3] ~= plan.fence then return {'fenced', mark[3]} end
if mark[1] ~= plan.generation or tonumber(mark[2] or '0') < plan.known then return {'lost'} end

local clock = plan.now
if plan.server then
  local t = redis.call('TIME')
  clock = t[1] * 1000 + math.floor(t[2] / 1000)
  if math.abs(clock - plan.now) > SKEW then return {'time', clock} end
end

local heads = {}
local stale = false
for i, known in ipairs(plan.workspaces) do
  local row = redis.call('HMGET', KEYS[known.head], 'seq', 'hash', 'time', 'epoch', 'paused')
  for field = 1, 5 do row[field] = row[field] or '' end
  if row[2] ~= known.hash then stale = true end
  heads[i] = row
end
if stale then return {'head', clock, heads} end

-- What stands in Redis is judged by the clock here; an answer that the linked time would not give stops the group.
local time, actual, moved
local function reached(moment)
  if (time >= moment) ~= (actual >= moment) then moved = true end
  return time >= moment
end

local NONE = {}
local function digits(number) return string.format('%.0f', number) end

-- Many at once, in pieces that fit on the stack.
local function batch(command, items, first)
  for from = 1, #items, 4000 do
    local till = math.min(from + 3999, #items)
    if first then redis.call(command, first, unpack(items, from, till)) else redis.call(command, unpack(items, from, till)) end
  end
end

-- What stands under the keys of records, unique keys and counters: read in one go, written in one go at the end.
local values, lives, touched = {}, {}, {}
for first = 1, #plan.texts, 4000 do
  local names = {}
  for i = first, math.min(first + 3999, #plan.texts) do names[#names + 1] = KEYS[plan.texts[i]] end
  for i, value in ipairs(redis.call('MGET', unpack(names))) do values[plan.texts[first + i - 1]] = value end
end

-- Without a value the key goes; without a life it stays for good.
local function set(key, value, life)
  values[key], lives[key], touched[key] = value, life, true
end

local function held(key)
  local row = values[key]
  if not row then return nil end
  local till, id = string.match(row, '^(%-?%d+) (.*)$')
  return tonumber(till), id
end

local function counted(key)
  local till, value = held(key)
  if not till or reached(till) then return 0 end
  return tonumber(value)
end

local function keep(key, till, value)
  local rest = till - time + SLACK
  set(key, digits(till) .. ' ' .. value, rest <= LONGEST and digits(math.max(rest, SLACK)) or nil)
end

local function refusal(change, head)
  if change.before and reached(change.before) then return {'late'} end
  if change.after and not reached(change.after) then return {'early'} end
  if change.epoch and change.epoch ~= head.epoch then return {'epoch'} end
  local freed = {}
  for _, unique in ipairs(change.unique or NONE) do
    local till, id
    if not freed[unique.key] then till, id = held(unique.key) end
    if till and id ~= unique.id and not reached(till) then return {'taken', unique.name, id} end
    if reached(unique.till) then freed[unique.key] = true end
  end
  for i, each in ipairs(change.puts or NONE) do
    local row = values[each.key]
    local version = row and tonumber(string.match(row, '^%d+')) or 0
    if version ~= each.version then return {'version', i, row} end
  end
  for _, count in ipairs(change.counts or NONE) do
    if count.max and counted(count.key) + count.add > count.max then return {'limit', count.name} end
  end
  return nil
end

-- Sorted sets are written once at the end, with what each member comes to: its score, or false for those that leave.
local sorted = {}
local function rank(set, member, score)
  sorted[set] = sorted[set] or {}
  sorted[set][member] = score
end

local function headerOf(row)
  if not row then return '-', '[]' end
  return string.match(row, '^%d+ (%S+) ([^\\n]*)\\n')
end

-- Puts a record in the place of another, or of none; takes it off the lists it leaves and puts it on those it joins.
local function put(target, row)
  local dueBefore, before = headerOf(values[target.key])
  local due, after = headerOf(row)
  if after ~= before then
    local suffix = '\\0' .. target.id .. '\\0' .. target.code
    local was = {}
    for _, index in ipairs(cjson.decode(before)) do was[index] = true end
    for _, index in ipairs(cjson.decode(after)) do
      if not was[index] then rank(3, index .. suffix, '0') end
      was[index] = nil
    end
    for index in pairs(was) do rank(3, index .. suffix, false) end
  end
  if due ~= dueBefore then rank(target.dues, target.id, due ~= '-' and due) end
  set(target.key, row)
end

local function flushTexts()
  local new, gone = {}, {}
  for key in pairs(touched) do
    if not values[key] then gone[#gone + 1] = KEYS[key]
    elseif lives[key] then redis.call('SET', KEYS[key], values[key], 'PX', lives[key])
    else
      new[#new + 1] = KEYS[key]
      new[#new + 1] = values[key]
    end
  end
  batch('DEL', gone)
  batch('MSET', new)
end

local function flushSorted(set, ranks)
  local new, gone = {}, {}
  for member, score in pairs(ranks) do
    if score then
      new[#new + 1] = score
      new[#new + 1] = member
    else
      gone[#gone + 1] = member
    end
  end
  batch('ZREM', gone, KEYS[set])
  batch('ZADD', new, KEYS[set])
end

local contents = {}
local function content(key, seq, row)
  contents[key] = contents[key] or {}
  table.insert(contents[key], seq)
  table.insert(contents[key], row)
end

local function apply(change, head, known)
  for i, entry in ipairs(change.entries or NONE) do
    local added = redis.pcall('XADD', KEYS[known.chain], digits(entry.seq) .. '-0', 'time', digits(time), 'type', entry.type, 'ref', entry.ref,
      'change', entry.change, 'hash', entry.hash)
    -- The first write of all may be refused for want of memory, the first of a change because somebody else wrote to the
    -- stream. Both leave this change without a trace.
    if added.err then return added.err end
    content(known.contents, entry.seq, ARGV[entry.content])
    head.seq, head.hash, head.time = entry.seq, entry.hash, time
  end
  for _, each in ipairs(change.puts or NONE) do put(each, each.row and ARGV[each.row]) end
  for _, unique in ipairs(change.unique or NONE) do
    if unique.till <= 0 then set(unique.key, false) else keep(unique.key, unique.till, unique.id) end
  end
  for _, count in ipairs(change.counts or NONE) do
    local value = counted(count.key) + count.add
    if value == 0 then set(count.key, false) else keep(count.key, count.till, digits(value)) end
  end
  for _, mirror in ipairs(change.mirrors or NONE) do
    if mirror.till and mirror.till > time then
      redis.call('HSET', KEYS[mirror.key], unpack(mirror.fields))
      redis.call('PEXPIRE', KEYS[mirror.key], digits(mirror.till - time))
    else
      redis.call('DEL', KEYS[mirror.key])
    end
  end
  for _, erased in ipairs(change.erased or NONE) do content(known.contents, erased.seq, erased.kept) end
  for _, gone in ipairs(change.removed or NONE) do put(gone, nil) end
  head.epoch = head.epoch + (change.raise or 0)
  if change.paused then head.paused = change.paused end
  head.changed = true
  return nil
end

local now = {}
for i, row in ipairs(heads) do
  now[i] = { seq = tonumber(row[1]) or 0, hash = row[2], time = tonumber(row[3]) or 0,
    epoch = tonumber(row[4]) or 0, paused = row[5] }
end

local answers = {}
local wrote = false
for _, change in ipairs(plan.changes) do
  local known, head = plan.workspaces[change.workspace], now[change.workspace]
  -- Links after a refused change do not hold any more.
  if head.broken and change.entries then break end
  time, actual = math.max(plan.now, head.time), math.max(clock, head.time)
  moved = false
  local refused = refusal(change, head)
  if moved then break end
  if refused then
    if change.entries then head.broken = true end
    answers[#answers + 1] = {0, time, head.epoch, refused[1], refused[2] or false, refused[3] or false}
  else
    local failed = apply(change, head, known)
    if failed and not wrote then return redis.error_reply(failed) end
    if failed then break end
    wrote = true
    answers[#answers + 1] = {1, time, head.epoch, head.seq}
  end
end

flushTexts()
for set, ranks in pairs(sorted) do flushSorted(set, ranks) end
for key, rows in pairs(contents) do batch('HSET', rows, KEYS[key]) end
for i, head in ipairs(now) do
  if head.changed then
    redis.call('HSET', KEYS[plan.workspaces[i].head], 'seq', digits(head.seq), 'hash', head.hash, 'time', digits(head.time),
      'epoch', digits(head.epoch), 'paused', head.paused)
  end
end
local writes = tonumber(mark[2])
if wrote then
  writes = redis.call('HINCRBY', KEYS[1], 'writes', 1)
  redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', KEEP_WAKES, digits(writes) .. '-0', 'by', plan.by)
end
return {'done', clock, writes, answers}
`;
