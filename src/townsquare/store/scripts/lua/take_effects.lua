--[[
  Take the next effects of a bucket, after marking those before as applied. One drainer at a time: the
  lease is taken with the first call, renewed with each, and given back with the one that finds nothing.

  Keys:   system.outbox(bucket), system.outbox_lease(bucket)
  Input:  bucket string, token string, lease_ms integer, count integer, applied json
  Output: held boolean, effects list of {id, effect}
]]
local holder = redis.call('GET', key.outbox_lease(bucket))
if holder and holder ~= token then
  -- it lasts longer than it can where the clock of Redis was set back
  if redis.call('PTTL', key.outbox_lease(bucket)) > lease_ms then redis.call('PEXPIRE', key.outbox_lease(bucket), lease_ms) end
  return {0, {}}
end

if #applied > 0 then redis.call('XDEL', key.outbox(bucket), unpack(applied)) end
local effects = {}
for _, entry in ipairs(redis.call('XRANGE', key.outbox(bucket), '-', '+', 'COUNT', count)) do
  effects[#effects + 1] = {entry[1], entry[2][2]}
end
if #effects > 0 then
  redis.call('SET', key.outbox_lease(bucket), token, 'PX', lease_ms)
else
  redis.call('DEL', key.outbox_lease(bucket))
end
return {1, effects}
