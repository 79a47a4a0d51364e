-- KEYS: state
-- ARGV: holder
-- Takes back the mark of a process. Where nobody else waits, nobody is let go first any more.
-- Returns 1.
local marks = KEYS[1] .. ':marks'
redis.call('ZREM', marks, ARGV[1])
local state = redis.call('GET', KEYS[1])
if state and redis.call('EXISTS', KEYS[1] .. ':queue', marks) == 0 then
  local ends, last = struct.unpack('>dd', state)
  redis.call('SETRANGE', KEYS[1], '0', struct.pack('>ddd', math.max(ends, 0), last, 0))
end
return 1
