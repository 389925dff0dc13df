--[[
  Hide the comments of another user from a reader.

  Keys:    user(user_id), user_blocks(user_id)
  Asks:    add_blocker (commenter_not_found)
  Input:   user_id string, other_id string
  Output:  changed boolean
  Errors:  commenter_not_found, too_many_blocks
]]
local id, deleting = unpack(redis.call('HMGET', key.user(user_id), 'id', 'deleting'))
if not id or deleting then return refuse('commenter_not_found') end
local blocks = key.user_blocks(user_id)
if redis.call('SISMEMBER', blocks, other_id) == 1 then return 0 end
if redis.call('SCARD', blocks) >= const.BLOCKS then return refuse('too_many_blocks') end
local refusal = ask.add_blocker(other_id, user_id)
if refusal then return refusal end
redis.call('SADD', blocks, other_id)
return 1
