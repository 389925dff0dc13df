--[[
  Remove a deleted comment from the votes of a user.

  Keys:  user_votes(user_id)
  Input: user_id string, comment_id string
]]
redis.call('ZREM', key.user_votes(user_id), comment_id)
