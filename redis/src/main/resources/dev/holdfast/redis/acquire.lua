-- KEYS: state, queue, details
-- ARGV: owner, holder, lease in µs, memory in ms, mark in µs (0: does not wait), queued (1)
-- State: end, last token, end of the last mark, owner, owner before (of a hand-over), holder.
-- Returns the token, or minus the µs until something changes by itself.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state = redis.call('GET', KEYS[1])
local token, ends, waited = now, 0, 0
local owner, last
if state then
  ends, last, waited, owner = struct.unpack('>dddc16', state)
  if last >= token then token = last + 1 end
end
local mine = ends > now and owner == ARGV[1]
if mine then token = last end

local function grant()
  redis.call('SET', KEYS[1], struct.pack('>ddd', now + ARGV[3], token, waited) .. ARGV[1]
    .. '................' .. ARGV[2], 'PX', ARGV[4])
  return token
end

if waited <= now and (mine or ends <= now) then
  waited = 0
  return grant()
end

local queue, details = KEYS[2], KEYS[3]
-- include waiting.lua

local queued = ARGV[6] == '1'
local head, head_ends
if queued then head, head_ends = first() end
local behind = head and head ~= ARGV[1]

if mine or (ends <= now and not behind) then
  leave(ARGV[1])
  if redis.call('EXISTS', queue) == 0 then waited = 0 end
  return grant()
end

if ARGV[5] ~= '0' then
  wait(ARGV[1], ARGV[2], 1, tonumber(ARGV[5]), queued, ARGV[4])
  waited = struct.pack('>d', math.max(waited, now + ARGV[5]))
  if state then
    redis.call('SETRANGE', KEYS[1], '16', waited)
  else
    redis.call('SET', KEYS[1], struct.pack('>dd', 0, 0) .. waited .. string.rep('.', 32), 'PX', ARGV[4])
  end
end
if ends <= now then return now - head_ends end
if behind then return now - math.min(ends, head_ends) end
return now - ends
