--[[
  Mark notifications as read: those that are named, or with none named all.

  Keys:    notices(username), unread_notices(username)
  Input:   username string, named [string]
  Output:  changed integer
]]
if #named > 0 then return redis.call('SREM', key.unread_notices(username), unpack(named)) end
local unread = redis.call('SCARD', key.unread_notices(username))
redis.call('DEL', key.unread_notices(username))
return unread
