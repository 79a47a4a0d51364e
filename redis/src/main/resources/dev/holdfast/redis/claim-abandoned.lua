-- KEYS: record   ARGV: attempt, flow, from and below how many attempts it is told
-- Returns 1, when it was left in µs, the fingerprint, the attempts and the input, where this
-- attempt has left it; 2 and the µs until then, where it has not yet; 3 where it is done; 4 where
-- there is none of this flow; 5, the attempt and the µs until it is over, where another has it;
-- 6 where it is not told.
-- include record.lua
if state == 'done' then return {3} end
if not state or flow ~= ARGV[2] then return {4} end
if attempt ~= ARGV[1] then return {5, attempt, math.max(0, leased - now)} end
if leased > now then return {2, leased - now} end
if attempts < tonumber(ARGV[3]) or attempts >= tonumber(ARGV[4]) then return {6} end
local more = redis.call('HMGET', KEYS[1], 'fingerprint', 'input')
return {1, leased, more[1], attempts, more[2]}
