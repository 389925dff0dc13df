--[[
  A comment that this user has voted on goes.

  Keys:  user_votes(user_id)
  Input: user_id string, comment_id string
]]
redis.call('ZREM', key.user_votes(user_id), comment_id)
