-- Claims the lease of a request.
-- KEYS: record
-- ARGV: owner id, fingerprint, lease and retention in µs, key as text, 1 to insert a record if there
--   is none or else 0; and for a workflow: name, input
-- Fields of a record: state (leased, released, completed), owner_id, attempts, fingerprint, key,
--   started_at, lease_until and expires_at in µs, workflow, input, steps (their number) and
--   s1, s2, … (each step), result_kind and result.
-- Returns
--   1, the attempts, the previous owner id and the steps: the lease is granted;
--   2, the kind, the owner id and the result: the request is completed;
--   3, the start and the rest of the lease in µs: another attempt owns the lease;
--   4: the record has another fingerprint;
--   5: there is no record, and none was inserted.
-- include idempotency-record.lua

local function granted(previous)
  local answer = {1, attempts, previous}
  for i = 1, steps do answer[i + 3] = redis.call('HGET', KEYS[1], 's' .. i) end
  return answer
end

if leased and owner == ARGV[1] then
  -- a write, so that replicas that have it also have all writes before it
  redis.call('HSET', KEYS[1], 'state', state)
  return granted('')
end

if not state then
  if ARGV[6] == '0' then return {5} end
  -- only if there is one: after a DEL, Redis lets a script write although its memory is full
  if owner then redis.call('DEL', KEYS[1]) end
  state, lease_until, expires_at = 'leased', now + ARGV[3], now + ARGV[4]
  workflow, steps, attempts = ARGV[7], 0, 1
  redis.call('HSET', KEYS[1], 'state', state, 'owner_id', ARGV[1], 'attempts', 1,
    'fingerprint', ARGV[2], 'key', ARGV[5], 'started_at', now, 'lease_until', lease_until,
    'expires_at', expires_at)
  if workflow then redis.call('HSET', KEYS[1], 'workflow', workflow, 'input', ARGV[8]) end
  expire()
  return granted('')
end

local more = redis.call('HMGET', KEYS[1], 'fingerprint', 'started_at', 'result_kind', 'result')
if more[1] ~= ARGV[2] then return {4} end
if state == 'completed' then return {2, tonumber(more[3]), owner, more[4]} end
if leased then return {3, tonumber(more[2]), lease_until - now} end

local previous = owner
state, lease_until, attempts = 'leased', now + ARGV[3], attempts + 1
expires_at = math.max(expires_at, now + ARGV[4])
redis.call('HSET', KEYS[1], 'state', state, 'owner_id', ARGV[1], 'attempts', attempts,
  'lease_until', lease_until, 'expires_at', expires_at)
expire()
return granted(previous)
