--[[
  Copy into a post what it shows of its author.

  Keys:   post(id)
  Input:  id string, display_name string?, avatar string?, role string
]]
local name = key.post(id)
if redis.call('EXISTS', name) == 0 then return end
redis.call('HSET', name, 'user_role', role)
for field, value in pairs({display_name = display_name or false, avatar = avatar or false}) do
  if value then redis.call('HSET', name, field, value) else redis.call('HDEL', name, field) end
end
