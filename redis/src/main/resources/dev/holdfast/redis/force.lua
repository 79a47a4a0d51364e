-- KEYS: state, queue, details   ARGV: channel, memory in ms
-- Returns the raised token, or 0 where nobody held it.
local state = redis.call('GET', KEYS[1])
if not state then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends, last, waited = struct.unpack('>ddd', state)
if ends <= now then return 0 end
local queue, details = KEYS[2], KEYS[3]
-- include waiting.lua
local token = math.max(last + 1, now)
redis.call('SET', KEYS[1], struct.pack('>ddd', 0, token, waited) .. string.rep('.', 32), 'PX', ARGV[2])
redis.call('PUBLISH', ARGV[1], 'f' .. KEYS[1])
tell(ARGV[1], KEYS[1])
return token
