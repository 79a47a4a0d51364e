-- KEYS: state   ARGV: remembered in ms
-- Returns 1.
local time = redis.call('TIME')
local generation, token = time[1] * 1000000 + time[2], ('\0'):rep(8)
local state = redis.call('GET', KEYS[1])
if state then
  local last, _
  last, _, _, token = struct.unpack('>dddc8', state)
  generation = math.max(last + 1, generation)
end
-- the value first: a Redis without memory allows that, and then the rest of a script, too
redis.call('DEL', KEYS[1] .. ':body')
redis.call('SET', KEYS[1], struct.pack('>ddd', generation, 0, 0) .. token, 'PX', ARGV[1])
redis.call('PUBLISH', KEYS[1]:match('^[^{]*') .. 'news', 'i' .. KEYS[1])
return 1
