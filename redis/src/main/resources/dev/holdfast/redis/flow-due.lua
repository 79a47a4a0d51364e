-- KEYS: names of flows   ARGV: flow, how many to skip, how many at most
-- Returns the entries that are due, the oldest first, each with the µs since then.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local answer = redis.call('ZRANGEBYSCORE', KEYS[1] .. ':' .. ARGV[1], '-inf', now, 'WITHSCORES',
  'LIMIT', ARGV[2], ARGV[3])
for i = 2, #answer, 2 do answer[i] = now - answer[i] end
return answer
