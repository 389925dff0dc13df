--[[
  Replace the name of the moderator who banned this post.

  Keys:    post(id)
  Effects: moderated(new)
  Input:   id string, username string, new string
]]
local moderator, at = unpack(redis.call('HMGET', key.post(id), 'banned_by', 'banned_at'))
if moderator ~= username then return end
redis.call('HSET', key.post(id), 'banned_by', new)
emit('ZADD', key.moderated(new), at, id)
