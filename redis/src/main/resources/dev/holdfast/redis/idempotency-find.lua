-- Reads a record.
-- KEYS: record
-- Returns the state, the fingerprint, the attempts, the start and the expiry in µs, the workflow, the
-- kind and the result, and the steps; nothing if there is no record.
-- include idempotency-record.lua
if not state then return {} end
if not leased and state == 'leased' then state = 'released' end
local more = redis.call('HMGET', KEYS[1], 'fingerprint', 'started_at', 'result_kind', 'result')
local answer = {state, more[1], attempts, tonumber(more[2]), expires_at, workflow or '',
  tonumber(more[3] or -1), more[4] or ''}
for i = 1, steps do answer[i + 8] = redis.call('HGET', KEYS[1], 's' .. i) end
return answer
