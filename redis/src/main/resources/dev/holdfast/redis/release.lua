-- KEYS: state, queue, details
-- ARGV: owner, channel, and of the successor: owner or '', holder, lease in µs, memory in ms,
--       whether it is passed over where another process waits (1)
-- Returns 0 (released), the token of the successor, or -1 (was lost).
local state = redis.call('GET', KEYS[1])
if not state then return -1 end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends, last, waited, owner, before = struct.unpack('>dddc16c16', state)
local held = owner == ARGV[1]

if held and waited <= now and ARGV[3] == '' then
  if ends > now then
    redis.call('SETRANGE', KEYS[1], '0', '\0\0\0\0\0\0\0\0')
  elseif ends ~= 0 then
    return -1
  end
  return 0
end

if held and ends <= now then return ends == 0 and 0 or -1 end
if not held and before == ARGV[1] and owner == ARGV[3] and ends > now then return last end

local queue, details = KEYS[2], KEYS[3]
-- include waiting.lua

if not held then
  if leave(ARGV[1]) then
    if redis.call('EXISTS', queue) == 0 then
      redis.call('SETRANGE', KEYS[1], '16', '\0\0\0\0\0\0\0\0')
    elseif ends <= now then
      tell(ARGV[2], KEYS[1])
    end
  end
  return -1
end

local function others_wait()
  marks()
  first()
  for _, waiter in ipairs(redis.call('HVALS', details)) do
    if waiter:sub(17) ~= ARGV[4] and struct.unpack('>d', waiter) > now then return true end
  end
  return false
end

if ARGV[3] ~= '' and (waited <= now or ARGV[7] ~= '1' or not others_wait()) then
  if waited > now then
    leave(ARGV[3])
    if redis.call('EXISTS', queue) == 0 then waited = 0 end
  end
  local token = math.max(last + 1, now)
  redis.call('SET', KEYS[1], struct.pack('>ddd', now + ARGV[5], token, waited) .. ARGV[3]
    .. ARGV[1] .. ARGV[4], 'PX', ARGV[6])
  return token
end

redis.call('SETRANGE', KEYS[1], '0', '\0\0\0\0\0\0\0\0')
if waited > now then tell(ARGV[2], KEYS[1]) end
return 0
