-- Adds those who wait to found: those with marks, then the queue in its order.
local marked = redis.call('ZRANGEBYSCORE', marks, now, '+inf', 'WITHSCORES')
for at = 1, #marked, 2 do
  found[#found + 1] = marked[at]
  found[#found + 1] = marked[at + 1] - now
end
for _, owner in ipairs(redis.call('ZRANGE', queue, '0', '-1')) do
  local waiter = redis.call('HGET', details, 'w' .. owner)
  local left = waiter and struct.unpack('>d', waiter) - now or 0
  if left > 0 then
    found[#found + 1] = waiter:sub(17)
    found[#found + 1] = left
  end
end
