-- Reads the record. An expired record counts as absent, however late Redis deletes it.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local fields = redis.call('HMGET', KEYS[1],
  'state', 'owner_id', 'attempts', 'lease_until', 'expires_at', 'steps', 'workflow')
local state, owner, workflow = fields[1], fields[2], fields[7]
local attempts, lease_until = tonumber(fields[3] or 0), tonumber(fields[4] or 0)
local expires_at, steps = tonumber(fields[5] or 0), tonumber(fields[6] or 0)
local leased = state == 'leased' and lease_until > now
if expires_at <= now and (state == 'completed' or (not workflow and not leased)) then
  state = false
end

-- Redis deletes the record after its retention, but not while its lease lasts. A workflow that is
-- not completed is never deleted.
local function expire()
  if workflow and state ~= 'completed' then
    redis.call('PERSIST', KEYS[1])
  else
    local last = expires_at
    if state == 'leased' then last = math.max(expires_at, lease_until) end
    redis.call('PEXPIREAT', KEYS[1], math.ceil(last / 1000))
  end
end
