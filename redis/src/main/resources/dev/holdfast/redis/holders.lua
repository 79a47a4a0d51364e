-- The holders of a lease that is shared. Needs: state (hash: t -> last token, u -> used permits,
-- h<owner> -> token, permits, holder; r -> who released since the last grant), ends (zset), now.

-- Forgets those whose lease has run out, and returns the permits that are used.
local function used()
  local permits = tonumber(redis.call('HGET', state, 'u') or 0)
  local gone = redis.call('ZRANGEBYSCORE', ends, '-inf', now)
  for _, owner in ipairs(gone) do
    local holder = redis.call('HGET', state, 'h' .. owner)
    if holder then
      local _, of_it = struct.unpack('>dd', holder)
      permits = permits - of_it
    end
    redis.call('HDEL', state, 'h' .. owner)
    redis.call('ZREM', ends, owner)
  end
  if #gone > 0 then redis.call('HSET', state, 'u', permits) end
  return permits
end

local function next_token()
  return math.max(tonumber(redis.call('HGET', state, 't') or 0) + 1, now)
end
