-- Releases the lease of a request. Recovery lists the request after a pause.
-- KEYS: record   ARGV: owner id, pause in µs
-- Returns 1 and the workflow, or 0 if the lease is lost.
-- include idempotency-record.lua
if owner ~= ARGV[1] then return {0} end
if state == 'released' then return {1, workflow or ''} end
if not leased then return {0} end
state, lease_until = 'released', now + ARGV[2]
redis.call('HSET', KEYS[1], 'state', state, 'lease_until', lease_until)
expire()
return {1, workflow or ''}
