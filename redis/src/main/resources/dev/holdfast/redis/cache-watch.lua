-- ARGV: mark in ms
-- Returns what cache-look.lua returns.
local mark = KEYS[1] .. ':mark'
if redis.call('PTTL', mark) < tonumber(ARGV[1]) then redis.call('SET', mark, '', 'PX', ARGV[1]) end
-- include cache-look.lua
