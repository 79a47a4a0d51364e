-- KEYS: names of flows   ARGV: flow, how many to skip, how many at most
-- Returns the clock in µs, and the entries that are due, the oldest first, each with its time in µs.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local due = redis.call('ZRANGEBYSCORE', KEYS[1] .. ':' .. ARGV[1], '-inf', now, 'WITHSCORES',
  'LIMIT', ARGV[2], ARGV[3])
local answer = {now}
for i = 1, #due, 2 do
  answer[i + 1] = due[i]
  answer[i + 2] = tonumber(due[i + 1])
end
return answer
