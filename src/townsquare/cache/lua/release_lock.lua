--[[
  Release a lock, if it is still ours, and ring for those who wait.

  Keys:   lock(service, name), computed(service, name)
  Input:  service string, name string, token string, outcome string
  Output: released boolean
]]
if redis.call('GET', key.lock(service, name)) ~= token then return 0 end
redis.call('DEL', key.lock(service, name))
redis.call('PUBLISH', key.computed(service, name), outcome)
return 1
