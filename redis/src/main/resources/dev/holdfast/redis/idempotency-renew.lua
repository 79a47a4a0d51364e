-- Renews the lease of a request, and records a step if there is one.
-- KEYS: record   ARGV: owner id, lease in µs; and to record a step: the step
-- Returns 1 and the workflow, or 0 if the lease is lost.
-- include idempotency-record.lua
if not leased or owner ~= ARGV[1] then return {0} end
lease_until = now + ARGV[2]
redis.call('HSET', KEYS[1], 'lease_until', lease_until)
if ARGV[3] then redis.call('HSET', KEYS[1], 'steps', steps + 1, 's' .. (steps + 1), ARGV[3]) end
expire()
return {1, workflow or ''}
