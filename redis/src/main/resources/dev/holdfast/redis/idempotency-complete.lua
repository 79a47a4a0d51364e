-- Stores the result of a request.
-- KEYS: record   ARGV: owner id, kind, result, retention in µs
-- Returns 1 and the workflow, or 0 if the lease is lost.
-- include idempotency-record.lua
if owner ~= ARGV[1] then return {0} end
if state == 'completed' then
  -- a write, so that replicas that have it also have all writes before it
  redis.call('HSET', KEYS[1], 'state', state)
  return {1, workflow or ''}
end
if not leased then return {0} end
state, expires_at = 'completed', math.max(expires_at, now + ARGV[4])
redis.call('HSET', KEYS[1], 'state', state, 'result_kind', ARGV[2], 'result', ARGV[3],
  'expires_at', expires_at)
redis.call('HDEL', KEYS[1], 'input', 'steps')
for i = 1, steps do redis.call('HDEL', KEYS[1], 's' .. i) end
expire()
return {1, workflow or ''}
