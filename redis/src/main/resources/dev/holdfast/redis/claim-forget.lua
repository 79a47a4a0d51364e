-- KEYS: record
-- Returns 1, the flow and the attempt, or 0 where there is none, or somebody holds it.
-- include record.lua
if not state or held then return {0} end
redis.call('DEL', KEYS[1])
return {1, flow or '', attempt}
