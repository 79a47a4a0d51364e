-- Adds an entry of a workflow, or changes its time.
-- KEYS: names of workflows   ARGV: workflow, entry, µs until it is due
local time = redis.call('TIME')
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1] .. ':' .. ARGV[1], time[1] * 1000000 + time[2] + ARGV[3], ARGV[2])
return 1
