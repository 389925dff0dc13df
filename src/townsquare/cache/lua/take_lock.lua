--[[
  Take a lock if it is free. One that lasts longer than it can was taken before the clock of Redis was set back: it
  lasts as long as one that is taken now.

  Keys:   lock(service, name)
  Input:  service string, name string, token string, seconds integer
  Output: taken boolean
]]
local name_of_lock = key.lock(service, name)
if redis.call('SET', name_of_lock, token, 'NX', 'EX', seconds) then return 1 end
if redis.call('TTL', name_of_lock) > seconds then redis.call('EXPIRE', name_of_lock, seconds) end
return 0
