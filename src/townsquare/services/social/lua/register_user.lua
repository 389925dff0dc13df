--[[
  Make a profile. `fields` are names and values in turn; `rank` is the place of the name in the alphabet.

  Keys:    user(username), renamed(username)
  Effects: users_names()
  Input:   username string, role string, fields [string], rank integer, now integer
  Errors:  username_taken, bad_profile_field
  Include: role_lists
]]
if redis.call('EXISTS', key.user(username), key.renamed(username)) > 0 then return refuse('username_taken') end
local created_at = string.format('%.0f', now)
local own = {
  'username', username, 'role', role, 'postCount', 0, 'followerCount', 0, 'followingCount', 0, 'created_at', created_at,
}
if #own + #fields > 2 * const.FIELDS then
  return refuse('bad_profile_field', 'A profile has at most ' .. const.FIELDS .. ' fields')
end
redis.call('HSET', key.user(username), unpack(own))
for place = 1, #fields, 2 do redis.call('HSET', key.user(username), fields[place], fields[place + 1]) end
emit('ZADD', key.users_names(), rank, username)
add_to_role_list(username, role, created_at, 0)
