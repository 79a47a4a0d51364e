-- KEYS: state
-- ARGV: owner, 16 dots and holder; lease in µs; memory in ms; permits; capacity; and where it waits:
--       mark in µs; whether in the queue (1)
-- Returns the token, or minus the µs until something changes by itself.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state, queue, marks = KEYS[1], KEYS[1] .. ':queue', KEYS[1] .. ':marks'
local ends, details = KEYS[1] .. ':ends', KEYS[1]
-- include waiting.lua
-- include holders.lua

local me = ARGV[1]:sub(1, 16)
local permits, capacity = tonumber(ARGV[4]), tonumber(ARGV[5])
local in_use = used()
local mine = redis.call('HGET', state, 'h' .. me)
if mine then
  redis.call('ZADD', ends, now + ARGV[2], me)
  last_as_long(state, ARGV[3])
  last_as_long(ends, ARGV[3])
  return (struct.unpack('>d', mine))
end

local head, head_ends = first()
local behind = head and head ~= me
if not behind and in_use + permits <= capacity then
  local token = next_token()
  in_use = in_use + permits
  redis.call('HSET', state, 't', token, 'u', in_use, 'h' .. me,
    struct.pack('>dd', token, permits) .. ARGV[1]:sub(33))
  redis.call('HDEL', state, 'r')
  redis.call('ZADD', ends, now + ARGV[2], me)
  last_as_long(state, ARGV[3])
  last_as_long(ends, ARGV[3])
  if leave(me) or head then
    local following, _, wants = first()
    if following and in_use + wants <= capacity then
      publish('n' .. following)
    end
  end
  return token
end

if ARGV[6] then
  wait(me, ARGV[1]:sub(33), permits, ARGV[6], ARGV[7] == '1', ARGV[3])
end
local change = behind and head_ends
local holder = redis.call('ZRANGE', ends, '0', '0', 'WITHSCORES')[2]
if holder then
  holder = tonumber(holder)
  change = change and math.min(change, holder) or holder
end
return change and now - change or -1
