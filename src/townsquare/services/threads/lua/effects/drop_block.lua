--[[
  Undo a block: the blocked user does not exist.

  Keys:    user_blocks(user_id)
  Effects: user_blockers(*)
  Input:   user_id string, other_id string
]]
redis.call('SREM', key.user_blocks(user_id), other_id)
emit('SREM', key.user_blockers(other_id), user_id)
