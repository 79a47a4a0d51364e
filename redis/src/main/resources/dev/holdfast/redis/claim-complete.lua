-- KEYS: record   ARGV: attempt, kind, reply, retention in µs
-- Returns 1 and the flow, or 0 where the claim was lost.
-- include record.lua
if attempt ~= ARGV[1] then return {0} end
if state == 'done' then
  -- so that replicas which have this have all before it, too
  redis.call('HSET', KEYS[1], 'state', state)
  return {1, flow or ''}
end
if not held then return {0} end
state, kept = 'done', math.max(kept, now + ARGV[4])
redis.call('HSET', KEYS[1], 'state', state, 'kind', ARGV[2], 'reply', ARGV[3], 'kept', kept)
redis.call('HDEL', KEYS[1], 'input', 'steps')
for i = 1, steps do redis.call('HDEL', KEYS[1], 's' .. i) end
keep()
return {1, flow or ''}
