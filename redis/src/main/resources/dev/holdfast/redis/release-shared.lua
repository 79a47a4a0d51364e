-- KEYS: state   ARGV: owner
-- Returns 0 (released) or -1 (was lost).
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state, queue, marks = KEYS[1], KEYS[1] .. ':queue', KEYS[1] .. ':marks'
local ends, details = KEYS[1] .. ':ends', KEYS[1]
-- include waiting.lua
-- include holders.lua

local in_use = used()
local mine = redis.call('HGET', state, 'h' .. ARGV[1])
local released = redis.call('HGET', state, 'r') or ''
if mine then
  local _, permits = struct.unpack('>dd', mine)
  redis.call('HDEL', state, 'h' .. ARGV[1])
  redis.call('ZREM', ends, ARGV[1])
  redis.call('HSET', state, 'u', in_use - permits, 'r', (ARGV[1] .. released):sub(1, 256))
  tell(mine:sub(17))
  return 0
end
for at = 1, #released, 16 do
  if released:sub(at, at + 15) == ARGV[1] then return 0 end
end
if first() == ARGV[1] then
  leave(ARGV[1])
  tell('')
else
  leave(ARGV[1])
end
return -1
