-- KEYS: record
-- Returns the state, the fingerprint, the attempts, the start and the end in µs, the flow, the kind
-- and the reply, and the steps; or nothing.
-- include record.lua
if not state then return {} end
if not held and state == 'held' then state = 'released' end
local more = redis.call('HMGET', KEYS[1], 'fingerprint', 'started', 'kind', 'reply')
local answer = {state, more[1], attempts, tonumber(more[2]), kept, flow or '',
  tonumber(more[3] or -1), more[4] or ''}
for i = 1, steps do answer[i + 8] = redis.call('HGET', KEYS[1], 's' .. i) end
return answer
