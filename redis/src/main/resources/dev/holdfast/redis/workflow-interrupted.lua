-- Checks an entry of an attempt against its record.
-- KEYS: record   ARGV: owner id, workflow, minimum and exclusive maximum of attempts
-- Returns
--   1, the end of the lease in µs, the fingerprint, the attempts and the input: it is interrupted;
--   2 and the rest of the lease in µs: it is not interrupted yet;
--   3: it is completed;
--   4: there is no record of this workflow;
--   5, the owner id and the rest of its lease in µs: another attempt claimed it later;
--   6: it is interrupted, but its attempts are not in the range.
-- include idempotency-record.lua
if state == 'completed' then return {3} end
if not state or workflow ~= ARGV[2] then return {4} end
if owner ~= ARGV[1] then return {5, owner, math.max(0, lease_until - now)} end
if lease_until > now then return {2, lease_until - now} end
if attempts < tonumber(ARGV[3]) or attempts >= tonumber(ARGV[4]) then return {6} end
local more = redis.call('HMGET', KEYS[1], 'fingerprint', 'input')
return {1, lease_until, more[1], attempts, more[2]}
