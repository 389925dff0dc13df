--[[
  Copy into a post what it shows of its author.

  Keys:    user(username)
  Runs:    refresh_post
  Input:   username string, id string
]]
local role, display_name, avatar = unpack(redis.call('HMGET', key.user(username), 'role', 'display_name', 'avatar'))
if role then run.refresh_post(id, display_name or nil, avatar or nil, role) end
