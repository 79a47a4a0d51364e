-- Reads the names of all workflows that have entries.
-- KEYS: names of workflows
return redis.call('SMEMBERS', KEYS[1])
