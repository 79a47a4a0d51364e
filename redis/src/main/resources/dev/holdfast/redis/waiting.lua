-- Those who wait. Needs: queue (zset: the place of those in the queue, above 0; minus the end of the
-- mark of the others), details (hash: w<owner> -> end, permits, holder), now (µs).

local function leave(owner)
  redis.call('HDEL', details, 'w' .. owner)
  return redis.call('ZREM', queue, owner) == 1
end

-- The first in the queue who still gives signs of life: the owner, until when, and the permits.
local function first()
  while true do
    local owner = redis.call('ZRANGEBYSCORE', queue, '(0', '+inf', 'LIMIT', '0', '1')[1]
    if not owner then return nil end
    local waiter = redis.call('HGET', details, 'w' .. owner)
    if waiter then
      local ends, permits = struct.unpack('>dd', waiter)
      if ends > now then return owner, ends, permits end
    end
    leave(owner)
  end
end

-- Forgets the marks that have ended, and tells how many there are.
local function marks()
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', queue, -now, '(0')) do leave(owner) end
  return redis.call('ZCOUNT', queue, '-inf', '(0')
end

local function last_as_long(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end

-- Leaves a mark, or takes a place in the queue, or keeps it.
local function wait(owner, holder, permits, mark, queued, memory)
  local place = -(now + mark)
  if queued then
    place = tonumber(redis.call('ZSCORE', queue, owner) or 0)
    if place <= 0 then
      local back = redis.call('ZREVRANGE', queue, '0', '0', 'WITHSCORES')[2]
      place = math.max(now, tonumber(back or 0) + 1)
    end
  end
  redis.call('ZADD', queue, place, owner)
  redis.call('HSET', details, 'w' .. owner, struct.pack('>dd', now + mark, permits) .. holder)
  last_as_long(queue, memory)
  last_as_long(details, memory)
end

local function publish(news)
  redis.call('PUBLISH', KEYS[1]:match('^[^{]*') .. 'news', news .. KEYS[1])
end

-- Tells whose turn it is, or all of them.
local function tell()
  if marks() > 0 then
    publish('a')
  else
    local owner = first()
    if owner then publish('n' .. owner) end
  end
end
