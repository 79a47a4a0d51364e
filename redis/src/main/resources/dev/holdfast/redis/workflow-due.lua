-- Reads the due entries of a workflow.
-- KEYS: names of workflows   ARGV: workflow, how many to skip, maximum
-- Returns the time of Redis in µs, and the due entries, oldest first, each with its time in µs.
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
