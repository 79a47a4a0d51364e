-- KEYS: state   ARGV: owner, lease in µs, memory in ms
-- Returns 1, or 0 where it was lost.
local state = redis.call('GET', KEYS[1])
if not state then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends, _, _, owner = struct.unpack('>dddc16', state)
if owner ~= ARGV[1] or ends <= now then return 0 end
redis.call('SETRANGE', KEYS[1], '0', struct.pack('>d', now + ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
