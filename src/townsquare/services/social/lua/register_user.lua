--[[
  Make a profile. `fields` are names and values in turn; `rank` is the place of the name in the alphabet.

  Keys:    user(username), renamed(username)
  Effects: users_names()
  Input:   username string, role string, fields json, rank integer, now integer
  Output:  nothing
  Errors:  username_taken
  Include: registries
]]
if redis.call('EXISTS', key.user(username), key.renamed(username)) > 0 then return refuse('username_taken') end
local created_at = string.format('%.0f', now)
redis.call('HSET', key.user(username), 'username', username, 'role', role, 'postCount', 0, 'followerCount', 0,
  'followingCount', 0, 'created_at', created_at)
if #fields > 0 then redis.call('HSET', key.user(username), unpack(fields)) end
emit('ZADD', key.users_names(), rank, username)
enter(username, role, created_at, 0)
