--[[
  Who has banned this post is gone; the ban stands.

  Keys:    post(id)
  Input:   id string, gone string
  Output:  nothing
]]
if redis.call('HGET', key.post(id), 'banned_by') == gone then redis.call('HDEL', key.post(id), 'banned_by') end
