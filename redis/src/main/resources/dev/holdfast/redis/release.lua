-- KEYS: state
-- ARGV: owner; and where there is a successor: its owner, its holder, lease in µs, memory in ms,
--       whether it is passed over where another process waits (1)
-- Returns 0 (released), the token of the successor, or -1 (was lost).
local state = redis.call('GET', KEYS[1])
if not state then return -1 end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends, last, waited, owner, before = struct.unpack('>dddc16c16', state)
local held = owner == ARGV[1]
if held and ends <= now then return ends <= 0 and 0 or -1 end

local function hand_over()
  local token = math.max(last + 1, now)
  redis.call('SET', KEYS[1], struct.pack('>ddd', now + ARGV[4], token, waited) .. ARGV[2]
    .. ARGV[1] .. ARGV[3], 'PX', ARGV[5])
  return token
end

if held and waited <= now then
  if ARGV[2] then return hand_over() end
  redis.call('SETRANGE', KEYS[1], '0', '\0\0\0\0\0\0\0\0')
  return 0
end
if not held and before == ARGV[1] and owner == ARGV[2] and ends > now then return last end

local queue, marks, details = KEYS[1] .. ':queue', KEYS[1] .. ':marks', KEYS[1] .. ':waiters'
-- include waiting.lua

local function nobody_waits()
  return redis.call('EXISTS', queue, marks) == 0
end

if not held then
  if leave(ARGV[1]) then
    if nobody_waits() then
      redis.call('SETRANGE', KEYS[1], '16', '\0\0\0\0\0\0\0\0')
    elseif ends <= now then
      tell('')
    end
  end
  return -1
end

local holder = state:sub(57)
local function others_wait()
  if marked_elsewhere(holder) then return true end
  for _, waiter in ipairs(redis.call('HVALS', details)) do
    if waiter:sub(17) ~= holder and struct.unpack('>d', waiter) > now then return true end
  end
  return false
end

if ARGV[2] and (ARGV[6] ~= '1' or not others_wait()) then
  leave(ARGV[2])
  if nobody_waits() then waited = 0 end
  return hand_over()
end

ends = tell(holder) and -(now + 50000) or 0
if ends < 0 and ARGV[2] then
  -- the successor waits on: it is their turn, and then its own again
  redis.call('ZADD', marks, waited, holder)
  last_as_long(marks, ARGV[5])
end
if nobody_waits() then waited = 0 end
redis.call('SETRANGE', KEYS[1], '0', struct.pack('>ddd', ends, last, waited))
return 0
