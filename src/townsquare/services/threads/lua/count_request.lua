--[[
  Count a request in the current minute.

  Keys:   ratelimit(type, id, time_bucket)
  Input:  type string, id string, time_bucket integer, seconds integer
  Output: count integer
]]
local count = redis.call('INCR', key.ratelimit(type, id, time_bucket))
if count == 1 then redis.call('EXPIRE', key.ratelimit(type, id, time_bucket), seconds) end
return count
