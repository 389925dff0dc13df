--[[
  Add a user to those who have blocked this user.

  Keys:    user(user_id), user_blockers(user_id)
  Refused: drop_block(blocker_id, user_id)
  Input:   user_id string, blocker_id string
  Errors:  commenter_not_found
]]
local id, deleting = unpack(redis.call('HMGET', key.user(user_id), 'id', 'deleting'))
if not id or deleting then return refuse('commenter_not_found') end
redis.call('SADD', key.user_blockers(user_id), blocker_id)
