--[[
  Keep a lock while its owner still computes. One that was lost, to eviction or a restart, is taken anew if nobody
  else has it.

  Keys:   lock(service, name)
  Input:  service string, name string, token string, seconds integer
  Output: kept boolean
]]
local holder = redis.call('GET', key.lock(service, name))
if holder and holder ~= token then return 0 end
redis.call('SET', key.lock(service, name), token, 'EX', seconds)
return 1
