-- KEYS: state, queue, ends
-- ARGV: owner, holder, lease in µs, memory in ms, mark in µs (0: does not wait), queued (1),
--       permits, capacity, channel
-- Returns the token, or minus the µs until something changes by itself.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state, queue, ends, details = KEYS[1], KEYS[2], KEYS[3], KEYS[1]
-- include waiting.lua
-- include holders.lua

local permits, capacity = tonumber(ARGV[7]), tonumber(ARGV[8])
local in_use = used()
local mine = redis.call('HGET', state, 'h' .. ARGV[1])
if mine then
  redis.call('ZADD', ends, now + ARGV[3], ARGV[1])
  last_as_long(state, ARGV[4])
  last_as_long(ends, ARGV[4])
  return (struct.unpack('>d', mine))
end

local head, head_ends = first()
local behind = head and head ~= ARGV[1]
if not behind and in_use + permits <= capacity then
  local token = next_token()
  in_use = in_use + permits
  redis.call('HSET', state, 't', token, 'u', in_use, 'h' .. ARGV[1],
    struct.pack('>dd', token, permits) .. ARGV[2])
  redis.call('HDEL', state, 'r')
  redis.call('ZADD', ends, now + ARGV[3], ARGV[1])
  last_as_long(state, ARGV[4])
  last_as_long(ends, ARGV[4])
  if leave(ARGV[1]) or head then
    local following, _, wants = first()
    if following and in_use + wants <= capacity then
      redis.call('PUBLISH', ARGV[9], 'n' .. following .. state)
    end
  end
  return token
end

if ARGV[5] ~= '0' then
  wait(ARGV[1], ARGV[2], permits, tonumber(ARGV[5]), ARGV[6] == '1', ARGV[4])
end
local change = behind and head_ends
local holder = redis.call('ZRANGE', ends, '0', '0', 'WITHSCORES')[2]
if holder then
  holder = tonumber(holder)
  change = change and math.min(change, holder) or holder
end
return change and now - change or -1
