-- KEYS: record
-- ARGV: attempt, fingerprint, lease and retention in µs, key for people, 1 or 0 whether it is begun
--   where there is none; and of a flow: name, input
-- Record: state (held, released, done), attempt, attempts, fingerprint, key, started, leased and kept
--   in µs, flow, input, steps (how many) and s1, s2, … each of them, kind and reply.
-- Returns 1, the attempts, who had it before, and its steps, where it is held now; 2, the kind, the
-- attempt and the reply where it is done; 3, the start and the µs left where somebody else has it; 4
-- where it has another fingerprint; 5 where there is none, and none is begun.
-- include record.lua

local function granted(before)
  local answer = {1, attempts, before}
  for i = 1, steps do answer[i + 3] = redis.call('HGET', KEYS[1], 's' .. i) end
  return answer
end

if held and attempt == ARGV[1] then
  -- so that replicas which have this have all before it, too
  redis.call('HSET', KEYS[1], 'state', state)
  return granted('')
end

if not state then
  if ARGV[6] == '0' then return {5} end
  -- only where there is one: after a DEL, Redis lets a script write though its memory is full
  if attempt then redis.call('DEL', KEYS[1]) end
  state, leased, kept, flow, steps, attempts = 'held', now + ARGV[3], now + ARGV[4], ARGV[7], 0, 1
  redis.call('HSET', KEYS[1], 'state', state, 'attempt', ARGV[1], 'attempts', 1,
    'fingerprint', ARGV[2], 'key', ARGV[5], 'started', now, 'leased', leased, 'kept', kept)
  if flow then redis.call('HSET', KEYS[1], 'flow', flow, 'input', ARGV[8]) end
  keep()
  return granted('')
end

local more = redis.call('HMGET', KEYS[1], 'fingerprint', 'started', 'kind', 'reply')
if more[1] ~= ARGV[2] then return {4} end
if state == 'done' then return {2, tonumber(more[3]), attempt, more[4]} end
if held then return {3, tonumber(more[2]), leased - now} end

local before = attempt
state, leased, attempts = 'held', now + ARGV[3], attempts + 1
kept = math.max(kept, now + ARGV[4])
redis.call('HSET', KEYS[1], 'state', state, 'attempt', ARGV[1], 'attempts', attempts,
  'leased', leased, 'kept', kept)
keep()
return granted(before)
