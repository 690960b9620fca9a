"""What is done inside Redis: each script is one step that happens as a whole or not at all.

All can be repeated: a worker that lost an answer sends the same window again. ``KEYS[1]`` is what the
names of a crawl's keys begin with. Below it, with the number of the partition at the end:

``counts`` HASH counter and worker -> value | ``tickets`` HASH counter and worker -> how many it may have in all |
``owners`` HASH partition -> epoch:worker (free: no worker; given up without the pauses of its sites: ``?``) |
``workers`` ZSET worker -> end of its lease, milliseconds of Redis's clock | ``since`` HASH worker -> when it
joined | ``idle`` HASH worker -> whether it has nothing to do | ``messages`` HASH worker -> its message to the
worker that leads | ``beats`` HASH worker -> last beat, then twice: a time, and its pages by then | ``bases`` HASH
partition -> how many links have left its inbox, and with ``sent`` before it how many were ever put there |
``sizes`` HASH partition -> how many values its hashes and what is known should have, and with ``links`` before it
how many links its inbox has lost, since keys may be deleted or evicted behind our back | ``run`` HASH of what is
one for all |
``rows:P`` HASH sequence -> row, those in flight, too | ``aside:P`` HASH, failed and parked ones |
``seen:P`` LIST of key numbers, some at once | ``pages:P`` ``sites:P`` ``facts:P`` HASH | ``inbox:P`` LIST of links |
``pauses:P`` HASH site -> until when it is to be left | ``unread:P`` SET of links that cannot be read.

Waiting rows are a HASH of short values (132 bytes a URL where the row has 67), what is known a LIST that is only
added to, and looked up in its owner's memory (8.3 bytes a URL when 31 come at once, 10 one by one; a SET takes 64,
a STRING, whose room Redis doubles whenever it is full, 8 to 16; 100,000 to 1,000,000 URLs, Redis 6.2).
"""

from __future__ import annotations

from hashlib import sha1

_COMMON = """
local K = KEYS[1]
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function owner_of(text)
  local epoch, worker = string.match(text or '0:', '^(%d+):(.*)$')
  return worker, epoch
end
local SIZED = {'rows:', 'aside:', 'pages:', 'sites:', 'facts:'}
local function sizes_of(p)
  local sizes = {}
  for i, name in ipairs(SIZED) do sizes[i] = redis.call('HLEN', K .. name .. p) end
  sizes[6] = redis.call('LLEN', K .. 'seen:' .. p)
  return sizes
end
local function holds(worker, p, epoch)  -- a partition without a holder is whose it was: the key was deleted
  local text = redis.call('HGET', K .. 'owners', p)
  if not text then
    text = epoch .. ':' .. worker
    redis.call('HSET', K .. 'owners', p, text)
  end
  return text == epoch .. ':' .. worker
end
-- Where an inbox begins that was read up to a place, and how long it is. Links that were sent and are not there were
-- deleted; without that key all that is there is read again.
local function inbox_of(p, from)
  local there = redis.call('LLEN', K .. 'inbox:' .. p)
  local base, sent = unpack(redis.call('HMGET', K .. 'bases', p, 'sent ' .. p))
  local first, last = tonumber(base or from), tonumber(sent or 0)
  if not base and from > 0 then last = 0 end
  last = math.max(last, first + there)
  first = last - there
  if tostring(first) ~= base or tostring(last) ~= sent then
    redis.call('HSET', K .. 'bases', p, first, 'sent ' .. p, last)
  end
  return first, there
end
local function in_parts(command, key, first, last)  -- unpack takes some 8,000 values
  for at = first, last, 1000 do
    redis.call(command, key, unpack(ARGV, at, math.min(at + 999, last)))
  end
end
"""


class Script:
    """A script, and by which name Redis knows it."""

    def __init__(self, text: str) -> None:
        self.text = (_COMMON + text).encode()
        self.name = sha1(self.text, usedforsecurity=False).hexdigest()


JOIN = Script("""
-- ARGV: worker, lease (ms), where to begin looking, this Redis's run_id, then of each partition that it
-- knows to be its own: number, epoch; returns how many it should have, how many it has, of those it has from now on
-- number, epoch, inbox read up to and who had it, and for how long (ms) others may still ask what it takes
local me, lease, first = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local at = now()
local known = {}
for i = 5, #ARGV, 2 do known[tonumber(ARGV[i])] = ARGV[i + 1] end
local longest = math.max(lease, tonumber(redis.call('HGET', K .. 'run', 'lease') or '0'))
redis.call('HSET', K .. 'run', 'lease', longest)
local process = redis.call('HGET', K .. 'run', 'process')
if process ~= ARGV[4] then
  redis.call('HSET', K .. 'run', 'process', ARGV[4])
  if process then
    -- Numbers that were drawn in a second that is lost must not be drawn again: a worker draws some 2^18 at once.
    redis.call('HINCRBY', K .. 'run', 'numbers', 16777216)
    -- In that second a worker may have taken what seems free, and asked its sites.
    for p = 0, 63 do
      local owner, epoch = owner_of(redis.call('HGET', K .. 'owners', p))
      if owner == '' then redis.call('HSET', K .. 'owners', p, epoch .. ':?') end
    end
    -- And asks them still, whoever has them here, until it hears of this or its lease is over: unless there was
    -- no worker but this one. What took over from another Redis (Sentinel) may have been there for long.
    local up = tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')) * 1000
    local lately = redis.call('ZRANGEBYSCORE', K .. 'workers', at - 2000, '+inf')
    if up < longest or #lately > 1 or (lately[1] or me) ~= me then
      redis.call('HSET', K .. 'run', 'asked_until', at + longest)
    end
  end
end
redis.call('ZADD', K .. 'workers', at + lease, me)
redis.call('HSETNX', K .. 'since', me, at)
redis.call('ZREMRANGEBYSCORE', K .. 'workers', '-inf', at - 3600000)  -- an hour: only said to people
local live, names = {}, redis.call('ZRANGEBYSCORE', K .. 'workers', at, '+inf')
table.sort(names)
local rank = 0
for place, name in ipairs(names) do
  live[name] = true
  if name == me then rank = place end
end
for p, epoch in pairs(known) do holds(me, p, epoch) end
local owners, flat = {}, redis.call('HGETALL', K .. 'owners')
for i = 1, #flat, 2 do owners[tonumber(flat[i])] = flat[i + 1] end
local mine, others = 0, 0
for p = 0, 63 do
  local owner, epoch = owner_of(owners[p])
  if owner == me and known[p] == epoch then mine = mine + 1
  elseif owner ~= me and live[owner] then others = others + 1 end
end
local share = math.floor(64 / #names)
if rank <= 64 % #names then share = share + 1 end
if mine == 0 and others == 0 then share = 64 end  -- no other works yet: the first begins with all
local taken = {}
for i = 0, 63 do
  local p = (first + i) % 64
  local owner, epoch = owner_of(owners[p])
  -- What it does not know of was lost with an answer, or with what this Redis knew.
  local is_forgotten = owner == me and known[p] ~= epoch
  if mine < share and (is_forgotten or not live[owner]) then
    local epoch = redis.call('HINCRBY', K .. 'run', 'epoch', 1)
    redis.call('HSET', K .. 'owners', p, epoch .. ':' .. me)
    local base = redis.call('HGET', K .. 'bases', p) or '0'
    -- Who had it and has not given it back: one that died, or forgot, has told none of its pauses.
    taken[#taken + 1] = p
    taken[#taken + 1] = epoch
    taken[#taken + 1] = tonumber(base)
    taken[#taken + 1] = owner
    mine = mine + 1
  elseif is_forgotten then
    redis.call('HSET', K .. 'owners', p, epoch .. ':?')
  end
end
if #taken > 0 then redis.call('HINCRBY', K .. 'run', 'writes', 1) end
local asked_until = tonumber(redis.call('HGET', K .. 'run', 'asked_until') or '0')
return {share, mine, taken, math.max(0, asked_until - at)}
""")


KEEP = Script("""
-- ARGV: worker, lease (ms): a worker that loads for long is not gone; it says nothing of what it holds
local at = now()
redis.call('ZADD', K .. 'workers', at + ARGV[2], ARGV[1])
local said = redis.call('HGET', K .. 'beats', ARGV[1])
if said then redis.call('HSET', K .. 'beats', ARGV[1], (string.gsub(said, '^%d+', at))) end
return 1
""")


RENEW = Script("""
-- ARGV: worker, lease (ms), idle, numbers wanted, the last number that it knows to be drawn, then of each partition:
-- number, epoch, inbox read up to; returns those that are another's, of those with links number, links and where
-- these begin, the last number that is drawn, of those that have lost links number and how many, and all numbers when
-- what is one for all was deleted, and maybe more
local me, lease = ARGV[1], tonumber(ARGV[2])
local at = now()
redis.call('ZADD', K .. 'workers', at + lease, me)
local idle = ARGV[3]
if idle == '1' then
  -- It has just taken partitions (JOIN), and hears of what waits there only later.
  local mine = 0
  for _, text in ipairs(redis.call('HVALS', K .. 'owners')) do
    if owner_of(text) == me then mine = mine + 1 end
  end
  if mine > (#ARGV - 5) / 3 then idle = '0' end
end
redis.call('HSET', K .. 'idle', me, idle)
-- The end is over when a worker has something to do again: an address was pushed while all waited for one.
if idle == '0' then redis.call('HDEL', K .. 'run', 'finished') end
local is_gone = tonumber(redis.call('HGET', K .. 'run', 'numbers') or '0') < tonumber(ARGV[5])
-- Others may have drawn more than this one knows of.
if is_gone then redis.call('HSET', K .. 'run', 'numbers', ARGV[5] + 16777216) end
if tonumber(ARGV[4]) > 0 then redis.call('HINCRBY', K .. 'run', 'numbers', ARGV[4]) end
local fenced, inbox, lost, forgotten = {}, {}, {}, {}
local left = 4096  -- links at once: what there is more of comes with the next beats
for i = 6, #ARGV, 3 do
  local p, epoch, from = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  if not holds(me, p, epoch) then
    fenced[#fenced + 1] = tonumber(p)
  else
    if is_gone then forgotten[#forgotten + 1] = tonumber(p) end
    local base, there = inbox_of(p, from)
    local start = math.max(base, from)
    if base > from then
      lost[#lost + 1] = tonumber(p)
      lost[#lost + 1] = base - from
      redis.call('HINCRBY', K .. 'sizes', 'links ' .. p, base - from)
    end
    local most = math.min(left, 1024, base + there - start)
    if most > 0 or start > from then
      local links = {}
      if most > 0 then
        links = redis.call('LRANGE', K .. 'inbox:' .. p, start - base, start - base + most - 1)
      end
      left = left - #links
      inbox[#inbox + 1] = {tonumber(p), links, start}
    end
  end
end
return {fenced, inbox, tonumber(redis.call('HGET', K .. 'run', 'numbers') or '0'), lost, forgotten}
""")


WRITE = Script("""
-- ARGV: worker, then of each partition: number, epoch (nothing: it is another's), inbox taken in up to
-- (0: nothing), and ten parts, each with how many values it has: links for its inbox, links and other rows that
-- wait, those that do not (number, row), seen, pages (key, state), parts of sites, facts (kind and key, value),
-- facts that are none any more, numbers that are done; returns the partitions that are another's by now, and of
-- those of which something has gone that was written: number, and how many values of what is known are left
redis.call('HINCRBY', K .. 'run', 'writes', 1)  -- a full Redis refuses the first that is written, so all or nothing
local me, at, fenced, vanished = ARGV[1], 2, {}, {}
-- What it has said of itself was of before these rows; what is so now it says behind them.
redis.call('HSET', K .. 'idle', me, 0)
while at <= #ARGV do
  local p, epoch, taken_in = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local first, last = {}, {}
  at = at + 3
  for part = 1, 10 do
    local count = tonumber(ARGV[at])
    first[part], last[part] = at + 1, at + count
    at = at + 1 + count
  end
  local inbox, rows, aside = K .. 'inbox:' .. p, K .. 'rows:' .. p, K .. 'aside:' .. p
  in_parts('RPUSH', inbox, first[1], last[1])
  local sent = last[1] - first[1] + 1
  if epoch ~= '' and not holds(me, p, epoch) then  -- another's by now: links stay links
    fenced[#fenced + 1] = tonumber(p)
    for i = first[2] + 1, last[2], 2 do redis.call('RPUSH', inbox, ARGV[i]) end
    sent = sent + (last[2] - first[2] + 1) / 2
    epoch = ''
  end
  if sent > 0 then redis.call('HINCRBY', K .. 'bases', 'sent ' .. p, sent) end
  if epoch ~= '' then
    local before, gone, at_place, is_gone = sizes_of(p), {}, 0, false
    for noted in string.gmatch(redis.call('HGET', K .. 'sizes', p) or '', '%d+') do
      at_place = at_place + 1
      gone[at_place] = math.max(0, tonumber(noted) - before[at_place])
      is_gone = is_gone or gone[at_place] > 0
    end
    if is_gone then
      vanished[#vanished + 1] = tonumber(p)
      vanished[#vanished + 1] = before[6]
    end
    in_parts('HSET', rows, first[2], last[2])
    in_parts('HSET', rows, first[3], last[3])
    for i = first[3], last[3], 2 do redis.call('HDEL', aside, ARGV[i]) end
    in_parts('HSET', aside, first[4], last[4])
    for i = first[4], last[4], 2 do redis.call('HDEL', rows, ARGV[i]) end
    for i = first[5], last[5] do redis.call('RPUSH', K .. 'seen:' .. p, ARGV[i]) end
    in_parts('HSET', K .. 'pages:' .. p, first[6], last[6])
    in_parts('HSET', K .. 'sites:' .. p, first[7], last[7])
    in_parts('HSET', K .. 'facts:' .. p, first[8], last[8])
    in_parts('HDEL', K .. 'facts:' .. p, first[9], last[9])
    in_parts('HDEL', rows, first[10], last[10])
    in_parts('HDEL', aside, first[10], last[10])
    local base = taken_in > 0 and inbox_of(p, taken_in)
    if base and taken_in > base then
      redis.call('LTRIM', inbox, taken_in - base, -1)
      redis.call('HSET', K .. 'bases', p, taken_in)
    end
    -- What has gone is missed until it is there again: who writes may know nothing of it.
    local sizes = sizes_of(p)
    for i, number in ipairs(gone) do sizes[i] = sizes[i] + number end
    redis.call('HSET', K .. 'sizes', p, table.concat(sizes, ' '))
  end
end
return {fenced, vanished}
""")


SIZES = Script("""
-- ARGV: worker, then of each partition: number, epoch; what is there is all there should be
for i = 2, #ARGV, 2 do
  if holds(ARGV[1], ARGV[i], ARGV[i + 1]) then
    redis.call('HSET', K .. 'sizes', ARGV[i], table.concat(sizes_of(ARGV[i]), ' '))
  end
end
""")


RELEASE = Script("""
-- ARGV: partition, worker, epoch, ?: some sites may just have been asked by who had it before, nothing: none has;
-- then of each site its name and for how long it is to be left (ms)
local p = ARGV[1]
local owner, epoch = owner_of(redis.call('HGET', K .. 'owners', p))
if owner ~= ARGV[2] or epoch ~= ARGV[3] then return 0 end
local at, key = now(), K .. 'pauses:' .. p
redis.call('DEL', key)
for i = 5, #ARGV, 2 do redis.call('HSET', key, ARGV[i], at + ARGV[i + 1]) end
redis.call('HSET', K .. 'owners', p, epoch .. ':' .. ARGV[4])
return 1
""")


LEAVE = Script("""
-- ARGV: worker; returns how many are left
redis.call('ZREM', K .. 'workers', ARGV[1])
redis.call('HDEL', K .. 'idle', ARGV[1])
redis.call('HDEL', K .. 'since', ARGV[1])
redis.call('HDEL', K .. 'beats', ARGV[1])
if redis.call('HGET', K .. 'run', 'finished') ~= '1' then redis.call('HDEL', K .. 'messages', ARGV[1]) end
return redis.call('ZCOUNT', K .. 'workers', now(), '+inf')
""")


COUNT = Script("""
-- ARGV: worker, its message to who leads, how many counters are limited, of each of these its name, most of all, how
-- many this worker wants to have in all, and for how long (ms) those of one that is gone are kept; then counters and
-- values; returns the messages of others only to the one that leads
local me, limited = ARGV[1], tonumber(ARGV[3])
-- Each worker's counters as they are, no differences: the same window may come twice.
for i = 4 + 4 * limited, #ARGV, 2 do redis.call('HSET', K .. 'counts', ARGV[i] .. ' ' .. me, ARGV[i + 1]) end
if ARGV[2] ~= '' then redis.call('HSET', K .. 'messages', me, ARGV[2]) end
-- When it was last heard of, and its pages at two moments: by the earlier one, half a minute to a minute ago,
-- people are told how fast it is.
local at, pages = now(), redis.call('HGET', K .. 'counts', 'pages ' .. me) or '0'
local since, had, later, then_had =
  string.match(redis.call('HGET', K .. 'beats', me) or '', '^%d+ (%d+) (%d+) (%d+) (%d+)$')
if not since then
  since, had, later, then_had = at, pages, at, pages
elseif at - later >= 30000 then
  since, had, later, then_had = later, then_had, at, pages
end
redis.call('HSET', K .. 'beats', me, table.concat({at, since, had, later, then_had}, ' '))
local sums, flat = {}, redis.call('HGETALL', K .. 'counts')
local live = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', K .. 'workers', now(), '+inf')) do live[name] = true end
for i = 1, #flat, 2 do
  local name, worker = string.match(flat[i], '^([^ ]*) (.*)$')
  -- How things are is said by those that are there; what was counted stays.
  if live[worker] or string.sub(name, 1, 4) ~= 'now/' then
    sums[name] = (sums[name] or 0) + tonumber(flat[i + 1])
  end
end
local answer = {}
for name, sum in pairs(sums) do
  answer[#answer + 1] = name
  answer[#answer + 1] = sum
end
local granted = {}
local tickets = limited > 0 and redis.call('HGETALL', K .. 'tickets') or {}
for i = 4, 3 + 4 * limited, 4 do
  local counter, limit, wanted, kept = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local drawn = 0
  for j = 1, #tickets, 2 do
    local name, worker = string.match(tickets[j], '^([^ ]*) (.*)$')
    if name == counter and worker ~= me then
      -- The dead need no more than they have used; who only stood still may use some later.
      local alive = redis.call('ZSCORE', K .. 'workers', worker)
      alive = alive and tonumber(alive) > now() - kept
      local used = redis.call('HGET', K .. 'counts', tickets[j])
      drawn = drawn + (alive and tonumber(tickets[j + 1]) or tonumber(used or '0'))
    end
  end
  wanted = math.min(wanted, math.max(0, limit - drawn))
  local mine = counter .. ' ' .. me
  local before = tonumber(redis.call('HGET', K .. 'tickets', mine) or '0')
  if before ~= wanted then
    redis.call('HSET', K .. 'tickets', mine, wanted)
    redis.call('HINCRBY', K .. 'run', 'writes', 1)
    -- It may go on, which it hears and says only later.
    if wanted > before then redis.call('HSET', K .. 'idle', me, 0) end
  end
  granted[#granted + 1] = wanted
end
local messages = {}
if owner_of(redis.call('HGET', K .. 'owners', 0)) == me then
  local is_over = redis.call('HGET', K .. 'run', 'finished') == '1'
  local said = redis.call('HGETALL', K .. 'messages')
  for i = 1, #said, 2 do
    if live[said[i]] or is_over then  -- none goes on with what those had that left after the end
      if said[i] ~= me then messages[#messages + 1] = said[i + 1] end
    else
      redis.call('HDEL', K .. 'messages', said[i])
    end
  end
end
return {granted, now() - tonumber(redis.call('HGET', K .. 'run', 'began') or now()), answer, messages}
""")


RECOUNT = Script("""
-- ARGV: counter, a worker's name in logs, how many it has counted at least
local first = ARGV[1] .. ' ' .. ARGV[2] .. ':'
local flat = redis.call('HGETALL', K .. 'counts')
for i = 1, #flat, 2 do
  if string.sub(flat[i] .. ':', 1, #first) == first and tonumber(flat[i + 1]) < tonumber(ARGV[3]) then
    redis.call('HSET', K .. 'counts', flat[i], ARGV[3])
  end
end
""")


FINISHED = Script("""
-- ARGV: keys of addresses that others may push
for _, key in ipairs(ARGV) do
  if redis.call('EXISTS', key) == 1 then return 0 end
end
if redis.call('HGET', K .. 'run', 'finished') == '1' then return 1 end
local at = now()
local live = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', K .. 'workers', at, '+inf')) do
  if redis.call('HGET', K .. 'idle', name) ~= '1' then return 0 end
  live[name] = true
end
for p = 0, 63 do
  if not live[owner_of(redis.call('HGET', K .. 'owners', p))] then return 0 end
  if redis.call('EXISTS', K .. 'inbox:' .. p) == 1 then return 0 end
end
-- What one look cannot see, the second would: between them no worker has sent or written anything.
local mark = redis.call('HGET', K .. 'run', 'writes') or '0'
if redis.call('HGET', K .. 'run', 'look') ~= mark then
  redis.call('HSET', K .. 'run', 'look', mark)
  return 0
end
redis.call('HSET', K .. 'run', 'finished', '1')
return 1
""")


BEGIN = Script("""
-- ARGV: worker, lease (ms), then names and values that all workers of a crawl have in common
local at = now()
local moving = redis.call('HGET', K .. 'run', 'moving')
if moving then return {-1, moving} end
local others = 0
for _, name in ipairs(redis.call('ZRANGEBYSCORE', K .. 'workers', at, '+inf')) do
  if name ~= ARGV[1] then others = others + 1 end
end
if others == 0 then
  redis.call('HDEL', K .. 'run', 'finished', 'look', 'lease')
  redis.call('DEL', K .. 'idle', K .. 'counts', K .. 'tickets', K .. 'since', K .. 'messages', K .. 'beats')
  redis.call('HSET', K .. 'run', 'began', at)
  for i = 3, #ARGV, 2 do redis.call('HSET', K .. 'run', ARGV[i], ARGV[i + 1]) end
  redis.call('ZADD', K .. 'workers', at + ARGV[2], ARGV[1])
  return {0}
end
local answer = {others}
for i = 3, #ARGV, 2 do answer[#answer + 1] = redis.call('HGET', K .. 'run', ARGV[i]) or '' end
return answer
""")


MOVE = Script("""
-- ARGV: from where to where; returns how many work on the crawl, and what was being moved before
local workers = redis.call('ZCOUNT', K .. 'workers', now(), '+inf')
local before = redis.call('HGET', K .. 'run', 'moving') or ''
if workers == 0 and before == '' then redis.call('HSET', K .. 'run', 'moving', ARGV[1]) end
return {workers, before}
""")


ALL = (JOIN, KEEP, RENEW, WRITE, SIZES, RELEASE, LEAVE, COUNT, RECOUNT, FINISHED, BEGIN, MOVE)
