local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local fields = redis.call('HMGET', KEYS[1],
  'state', 'attempt', 'attempts', 'leased', 'kept', 'steps', 'flow')
local state, attempt, flow = fields[1], fields[2], fields[7]
local attempts, leased = tonumber(fields[3] or 0), tonumber(fields[4] or 0)
local kept, steps = tonumber(fields[5] or 0), tonumber(fields[6] or 0)
local held = state == 'held' and leased > now
-- what is expired is none, however late Redis is to remove it
if kept <= now and (state == 'done' or (not flow and not held)) then state = false end

-- Redis forgets it when its retention is over, but not while it is held, and no flow before it is
-- done.
local function keep()
  if flow and state ~= 'done' then
    redis.call('PERSIST', KEYS[1])
  else
    local last = kept
    if state == 'held' then last = math.max(kept, leased) end
    redis.call('PEXPIREAT', KEYS[1], math.ceil(last / 1000))
  end
end
