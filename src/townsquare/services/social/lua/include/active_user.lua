--[[
  active_user(username): the role of a user, if there is one who is not being deleted.

  Keys: user(*)
]]
local function active_user(username)
  local role, deleting = unpack(redis.call('HMGET', key.user(username), 'role', 'deleting'))
  return not deleting and role
end
