-- KEYS: state   ARGV: memory in ms
-- Returns the raised token, or 0 where nobody held it.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state, queue, marks = KEYS[1], KEYS[1] .. ':queue', KEYS[1] .. ':marks'
local ends, details = KEYS[1] .. ':ends', KEYS[1]
-- include waiting.lua
-- include holders.lua
used()
local owners = redis.call('ZRANGE', ends, '0', '-1')
if #owners == 0 then return 0 end
local token = next_token()
for _, owner in ipairs(owners) do redis.call('HDEL', state, 'h' .. owner) end
redis.call('DEL', ends)
redis.call('HDEL', state, 'r')
redis.call('HSET', state, 't', token, 'u', '0')
last_as_long(state, ARGV[1])
publish('f')
tell('')
return token
