-- Removes an entry of a workflow.
-- KEYS: names of workflows   ARGV: workflow, entry
-- Returns 1, or 0 if there was none.
local entries = KEYS[1] .. ':' .. ARGV[1]
local removed = redis.call('ZREM', entries, ARGV[2])
if redis.call('EXISTS', entries) == 0 then redis.call('SREM', KEYS[1], ARGV[1]) end
return removed
