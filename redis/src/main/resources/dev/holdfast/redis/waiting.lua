-- Those who wait. Needs: now (µs), and the keys of
--   queue (zset): owner -> place; marks (zset): holder, which is a process -> end of its mark;
--   details (hash): w<owner in the queue> -> end, permits, holder.

local function leave(owner)
  redis.call('HDEL', details, 'w' .. owner)
  return redis.call('ZREM', queue, owner) == 1
end

-- The first in the queue who still gives signs of life: the owner, until when, and the permits.
local function first()
  while true do
    local owner = redis.call('ZRANGE', queue, '0', '0')[1]
    if not owner then return nil end
    local waiter = redis.call('HGET', details, 'w' .. owner)
    if waiter then
      local ends, permits = struct.unpack('>dd', waiter)
      if ends > now then return owner, ends, permits end
    end
    leave(owner)
  end
end

local function last_as_long(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end

-- Leaves a mark, or takes a place in the queue, or keeps it.
local function wait(owner, holder, permits, mark, queued, memory)
  if queued then
    if not redis.call('ZSCORE', queue, owner) then
      local back = redis.call('ZRANGE', queue, '-1', '-1', 'WITHSCORES')[2]
      redis.call('ZADD', queue, math.max(now, tonumber(back or 0) + 1), owner)
    end
    redis.call('HSET', details, 'w' .. owner, struct.pack('>dd', now + mark, permits) .. holder)
    last_as_long(queue, memory)
    last_as_long(details, memory)
  else
    redis.call('ZADD', marks, now + mark, holder)
    last_as_long(marks, memory)
  end
end

local function publish(news)
  redis.call('PUBLISH', KEYS[1]:match('^[^{]*') .. 'news', news .. KEYS[1])
end

-- Whether processes other than this one have a mark. That of this one ends: it knows by itself.
local function marked_elsewhere(holder)
  redis.call('ZREM', marks, holder)
  return redis.call('ZCOUNT', marks, now, '+inf') > 0
end

-- Tells all, or whose turn it is. Marks end with it: who still waits then asks again.
-- Returns whether other processes had a mark.
local function tell(holder)
  if marked_elsewhere(holder) then
    redis.call('DEL', marks)
    publish('a')
    return true
  end
  local owner = first()
  if owner then publish('n' .. owner) end
  return false
end
