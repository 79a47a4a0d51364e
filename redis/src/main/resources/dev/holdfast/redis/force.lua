-- KEYS: state   ARGV: memory in ms
-- Returns the raised token, or 0 where nobody held it.
local state = redis.call('GET', KEYS[1])
if not state then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends, last, waited = struct.unpack('>ddd', state)
if ends <= now then return 0 end
local queue, marks, details = KEYS[1] .. ':queue', KEYS[1] .. ':marks', KEYS[1] .. ':waiters'
-- include waiting.lua
local token = math.max(last + 1, now)
redis.call('SET', KEYS[1], struct.pack('>ddd', 0, token, waited) .. ('.'):rep(32), 'PX', ARGV[1])
publish('f')
tell('')
return token
