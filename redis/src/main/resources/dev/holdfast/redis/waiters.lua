-- Adds those who wait to found: the marks, then the queue in its order.
for _, owner in ipairs(redis.call('ZRANGE', queue, '0', '-1')) do
  local waiter = redis.call('HGET', details, 'w' .. owner)
  local left = waiter and struct.unpack('>d', waiter) - now or 0
  if left > 0 then
    found[#found + 1] = waiter:sub(17)
    found[#found + 1] = left
  end
end
