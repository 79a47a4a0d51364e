-- KEYS: record   ARGV: attempt, lease in µs; and where a step is recorded: the step
-- Returns 1 and the flow, or 0 where the claim was lost.
-- include record.lua
if not held or attempt ~= ARGV[1] then return {0} end
leased = now + ARGV[2]
redis.call('HSET', KEYS[1], 'leased', leased)
if ARGV[3] then redis.call('HSET', KEYS[1], 'steps', steps + 1, 's' .. (steps + 1), ARGV[3]) end
keep()
return {1, flow or ''}
