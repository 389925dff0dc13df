--[[
  Save the record of a commenter, from the account or from a site. Karma and bans do not change.

  Keys:    user(user_id)
  Input:   user_id string, fields json, create boolean, created_at string
  Output:  changed boolean
]]
local name = key.user(user_id)
local id, deleting = unpack(redis.call('HMGET', name, 'id', 'deleting'))
if deleting or (not id and not create) then return 0 end
if not id then
  redis.call('HSET', name, 'id', user_id, 'karma', 0, 'global_banned', 'false', 'shadow_banned', 'false',
    'created_at', created_at)
end
for field, value in pairs(fields) do
  if value == cjson.null then redis.call('HDEL', name, field) else redis.call('HSET', name, field, value) end
end
return 1
