-- KEYS: state
-- ARGV: holder
-- Takes back the mark of a process. Where it was the last, nobody is let go first.
-- Returns 1, or 0 where there was none.
local marks = KEYS[1] .. ':marks'
if redis.call('ZREM', marks, ARGV[1]) == 0 then return 0 end
local state = redis.call('GET', KEYS[1])
if state and redis.call('EXISTS', KEYS[1] .. ':queue', marks) == 0 then
  local ends, last = struct.unpack('>dd', state)
  redis.call('SETRANGE', KEYS[1], '0', struct.pack('>ddd', math.max(ends, 0), last, 0))
end
return 1
