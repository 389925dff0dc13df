--[[
  Give a guest the name that the account has now, if there is such a guest.

  Keys:   guest(user_id)
  Input:  user_id string, name string?
  Output: nothing
]]
local guest = key.guest(user_id)
if redis.call('EXISTS', guest) == 0 then return end
if name then redis.call('HSET', guest, 'name', name) else redis.call('HDEL', guest, 'name') end
