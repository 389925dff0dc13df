--[[
  living(username): whether there is such a user, who is not being deleted.

  Keys: user(*)
]]
local function living(username)
  local found = redis.call('HMGET', key.user(username), 'username', 'deleting')
  return found[1] and not found[2]
end
