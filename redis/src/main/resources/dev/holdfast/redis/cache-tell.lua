-- KEYS: state
-- Tells those who wait, if there are any. Returns 1.
if redis.call('EXISTS', KEYS[1] .. ':mark') == 1 then
  redis.call('PUBLISH', KEYS[1]:match('^[^{]*') .. 'news', 'c' .. KEYS[1])
end
return 1
