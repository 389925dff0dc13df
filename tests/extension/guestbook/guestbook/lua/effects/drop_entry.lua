--[[
  An entry of a guest is gone.

  Keys:   guest(user_id), guest_entries(user_id)
  Input:  user_id string, id string
  Output: nothing
]]
redis.call('SREM', key.guest_entries(user_id), id)
if redis.call('EXISTS', key.guest(user_id)) == 1 then
  redis.call('HSET', key.guest(user_id), 'entries_count', redis.call('SCARD', key.guest_entries(user_id)))
end
