-- KEYS: record
-- Returns 1, the workflow and the attempt; 2 if an attempt owns the lease; 0 if there is no record.
-- include record.lua
if not state then return {0} end
if held then return {2} end
redis.call('DEL', KEYS[1])
return {1, flow or '', attempt}
