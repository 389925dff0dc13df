--[[
  Open the profile under the new name: from now on the user can act again. `fields` are those of the old
  profile, names and values in turn.

  Keys:    user(username), renamed(username)
  Effects: users_names()
  Input:   username string, job string, role string, created_at integer, fields [string], rank integer
  Include: role_lists
]]
local name = key.user(username)
local deleting, arriving = unpack(redis.call('HMGET', name, 'deleting', 'arriving'))
if arriving ~= job or not deleting then return end
for place = 1, #fields, 2 do redis.call('HSET', name, fields[place], fields[place + 1]) end
redis.call('HSET', name, 'role', role, 'created_at', string.format('%.0f', created_at))
redis.call('HDEL', name, 'deleting')
redis.call('DEL', key.renamed(username))
emit('ZADD', key.users_names(), rank, username)
add_to_role_list(username, role, string.format('%.0f', created_at), 0)
