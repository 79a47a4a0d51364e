-- KEYS: state
-- ARGV: owner, 16 dots and holder; lease in µs; memory in ms; and where it waits:
--       mark in µs; whether in the queue (1)
-- State: end, last token, end of the last mark, owner, owner before (of a hand-over), holder.
--   The end is 0 where it was released, and below 0 where that was told to other processes: until
--   then the process of the holder lets them go first, which are further away.
-- Returns the token, or minus the µs until something changes by itself.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state = redis.call('GET', KEYS[1])
local token, ends, waited = now, 0, 0
local mine = false
if state then
  local last, owner
  ends, last, waited, owner = struct.unpack('>dddc16', state)
  mine = ends > now and owner == ARGV[1]:sub(1, 16)
  if mine then
    token = last
  elseif last >= now then
    token = last + 1
  end
end

local function grant()
  local who = ARGV[1]
  -- it may have been handed over just now, by an owner that asks again whether it was
  if mine then who = who:sub(1, 16) .. state:sub(41, 56) .. who:sub(33) end
  redis.call('SET', KEYS[1], struct.pack('>ddd', now + ARGV[2], token, waited) .. who,
    'PX', ARGV[3])
  return token
end

if waited <= now and (mine or (ends <= now and ends >= 0)) then
  waited = 0
  return grant()
end

local queue, marks, details = KEYS[1] .. ':queue', KEYS[1] .. ':marks', KEYS[1] .. ':waiters'
-- include waiting.lua

local me, queued = ARGV[1]:sub(1, 16), ARGV[5] == '1'
local head, head_ends
if queued then head, head_ends = first() end
local behind = head and head ~= me
if -ends > now and state:sub(57) == ARGV[1]:sub(33) then
  behind = true
  head_ends = math.min(-ends, head_ends or -ends)
end

if mine or (ends <= now and not behind) then
  leave(me)
  if redis.call('EXISTS', queue, marks) == 0 then waited = 0 end
  return grant()
end

if ARGV[4] then
  wait(me, ARGV[1]:sub(33), 1, ARGV[4], queued, ARGV[3])
  waited = struct.pack('>d', math.max(waited, now + ARGV[4]))
  if state then
    redis.call('SETRANGE', KEYS[1], '16', waited)
    last_as_long(KEYS[1], ARGV[3])
  else
    redis.call('SET', KEYS[1], struct.pack('>dd', 0, 0) .. waited .. ('.'):rep(32), 'PX', ARGV[3])
  end
end
if ends <= now then return now - head_ends end
if behind then return now - math.min(ends, head_ends) end
return now - ends
