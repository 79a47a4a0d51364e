-- KEYS: state
-- ARGV: generation; life, or nothing; token; fresh and kept in µs; kept and remembered in ms; value
-- Returns 1, or 0 where there is a newer token, another generation, or another life.

-- Tokens are signed numbers of 8 bytes, which are more than a number of Lua can hold.
local function older(token, other)
  local high, low = struct.unpack('>i4I4', token)
  local other_high, other_low = struct.unpack('>i4I4', other)
  return high < other_high or (high == other_high and low < other_low)
end

local state = redis.call('GET', KEYS[1])
local generation = 0
if state then
  local _, token
  generation, _, _, token = struct.unpack('>dddc8', state)
  if older(ARGV[3], token) then return 0 end
end
if generation ~= tonumber(ARGV[1]) then return 0 end
if ARGV[2] ~= '' and redis.call('GET', KEYS[1]:match('^[^}]*}') .. 'life') ~= ARGV[2] then
  return 0
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('SET', KEYS[1], struct.pack('>ddd', generation, now + ARGV[4], now + ARGV[5]) .. ARGV[3],
  'PX', ARGV[7])
if ARGV[6] == '0' then
  redis.call('DEL', KEYS[1] .. ':body')
else
  redis.call('SET', KEYS[1] .. ':body', ARGV[8], 'PX', ARGV[6])
end
-- include cache-tell.lua
