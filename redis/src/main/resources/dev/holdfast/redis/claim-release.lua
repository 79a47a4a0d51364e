-- KEYS: record   ARGV: attempt, pause in µs
-- Returns 1 and the flow, or 0 where the claim was lost.
-- include record.lua
if attempt ~= ARGV[1] then return {0} end
if state == 'released' then return {1, flow or ''} end
if not held then return {0} end
state, leased = 'released', now + ARGV[2]
redis.call('HSET', KEYS[1], 'state', state, 'leased', leased)
keep()
return {1, flow or ''}
