-- KEYS: state   ARGV: owner, lease in µs, memory in ms
-- Returns 1, or 0 where it was lost.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends = KEYS[1] .. ':ends'
local my_end = redis.call('ZSCORE', ends, ARGV[1])
if not my_end or tonumber(my_end) <= now then return 0 end
redis.call('ZADD', ends, now + ARGV[2], ARGV[1])
for _, key in ipairs({KEYS[1], ends}) do
  if redis.call('PTTL', key) < tonumber(ARGV[3]) then redis.call('PEXPIRE', key, ARGV[3]) end
end
return 1
