-- KEYS: names of flows
return redis.call('SMEMBERS', KEYS[1])
