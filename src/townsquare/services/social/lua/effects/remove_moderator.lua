--[[
  The moderator who banned this post was deleted: remove the name, keep the ban.

  Keys:    post(id)
  Input:   id string, gone string
]]
if redis.call('HGET', key.post(id), 'banned_by') == gone then redis.call('HDEL', key.post(id), 'banned_by') end
