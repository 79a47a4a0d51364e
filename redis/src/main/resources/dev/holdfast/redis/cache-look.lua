-- KEYS: state
-- State: generation, until when it is fresh and kept (µs), token. The value itself is in :body.
-- Returns the generation; and where there is a value: its token, the µs for which it is fresh and
-- kept, and the value.
local state = redis.call('GET', KEYS[1])
if not state then return {0} end
local generation, fresh, kept, token = struct.unpack('>dddc8', state)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local body = kept > now and redis.call('GET', KEYS[1] .. ':body')
if not body then return {generation} end
return {generation, token, math.max(0, fresh - now), kept - now, body}
