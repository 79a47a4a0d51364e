-- Deletes a record, unless an attempt owns its lease.
-- KEYS: record
-- Returns 1, the workflow and the owner id; 2 if an attempt owns the lease; 0 if there is no record.
-- include idempotency-record.lua
if not state then return {0} end
if leased then return {2} end
redis.call('DEL', KEYS[1])
return {1, workflow or '', owner}
