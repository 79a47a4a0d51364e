-- KEYS: state
-- Returns nothing, or: token, number of holders, then of each holder: who, token, permits, µs;
-- then of each who waits: who, µs.
local state = redis.call('GET', KEYS[1])
if not state then return nil end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ends, last, waited = struct.unpack('>ddd', state)
local found = {last, 0}
if ends > now then found = {last, 1, state:sub(57), last, 1, ends - now} end
local queue, marks, details = KEYS[1] .. ':queue', KEYS[1] .. ':marks', KEYS[1] .. ':waiters'
-- include waiters.lua
return found
