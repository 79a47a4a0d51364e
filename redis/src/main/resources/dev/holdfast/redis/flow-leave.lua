-- KEYS: names of flows   ARGV: flow, entry
-- Returns 1, or 0 where there was none.
local entries = KEYS[1] .. ':' .. ARGV[1]
local left = redis.call('ZREM', entries, ARGV[2])
if redis.call('EXISTS', entries) == 0 then redis.call('SREM', KEYS[1], ARGV[1]) end
return left
