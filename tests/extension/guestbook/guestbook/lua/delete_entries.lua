--[[
  Delete up to `most` entries of a guest; in the end the guest.

  Keys:    guest(user_id), guest_entries(user_id), entry(*)
  Effects: entries()
  Input:   user_id string, most integer
  Output:  deleted integer
]]
local ids = redis.call('SRANDMEMBER', key.guest_entries(user_id), most)
if #ids == 0 then return redis.call('DEL', key.guest(user_id)) end
for _, id in ipairs(ids) do
  redis.call('DEL', key.entry(id))
  redis.call('SREM', key.guest_entries(user_id), id)
  emit('ZREM', key.entries(), id)
end
redis.call('HSET', key.guest(user_id), 'entries_count', redis.call('SCARD', key.guest_entries(user_id)))
return #ids
