-- KEYS: state
-- State: generation, until when it is fresh and kept (µs), token. The value itself is in :body.
-- Life: when somebody looked for the first time; a flush ends it.
-- Returns the generation, and the life where the generation is 0; and where there is a value: its
-- token, the µs for which it is fresh and kept, and the value.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state = redis.call('GET', KEYS[1])
local generation, fresh, kept, token = 0, 0, 0, ''
if state then generation, fresh, kept, token = struct.unpack('>dddc8', state) end
local life = ''
if generation == 0 then
  local key = KEYS[1]:match('^[^}]*}') .. 'life'
  life = redis.call('GET', key)
  if not life then
    life = string.format('%.0f', now)
    -- who has no memory left can still be read
    redis.pcall('SET', key, life)
  end
end
local body = kept > now and redis.call('GET', KEYS[1] .. ':body')
if not body then return {generation, life} end
return {generation, life, token, math.max(0, fresh - now), kept - now, body}
