-- KEYS: state
-- Returns what look.lua returns.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state, queue, marks = KEYS[1], KEYS[1] .. ':queue', KEYS[1] .. ':marks'
local ends, details = KEYS[1] .. ':ends', KEYS[1]
if redis.call('EXISTS', state) == 0 then return nil end
local found = {tonumber(redis.call('HGET', state, 't') or 0), 0}
local owners = redis.call('ZRANGEBYSCORE', ends, '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
for at = 1, #owners, 2 do
  local holder = redis.call('HGET', state, 'h' .. owners[at])
  if holder then
    local token, permits = struct.unpack('>dd', holder)
    found[2] = found[2] + 1
    found[#found + 1] = holder:sub(17)
    found[#found + 1] = token
    found[#found + 1] = permits
    found[#found + 1] = tonumber(owners[at + 1]) - now
  end
end
-- include waiters.lua
return found
