-- KEYS: state, queue, ends   ARGV: owner, lease in µs, memory in ms
-- Returns 1, or 0 where it was lost.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends = redis.call('ZSCORE', KEYS[3], ARGV[1])
if not ends or tonumber(ends) <= now then return 0 end
redis.call('ZADD', KEYS[3], now + ARGV[2], ARGV[1])
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[3]) then redis.call('PEXPIRE', key, ARGV[3]) end
end
return 1
