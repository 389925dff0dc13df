--[[
  Show the comments of a blocked user again.

  Keys:    user_blocks(user_id)
  Effects: user_blockers(*)
  Input:   user_id string, other_id string
  Output:  changed boolean
]]
emit('SREM', key.user_blockers(other_id), user_id)
return redis.call('SREM', key.user_blocks(user_id), other_id)
