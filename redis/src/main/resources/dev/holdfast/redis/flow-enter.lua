-- KEYS: names of flows   ARGV: flow, entry, µs until it is due
local time = redis.call('TIME')
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1] .. ':' .. ARGV[1], time[1] * 1000000 + time[2] + ARGV[3], ARGV[2])
return 1
