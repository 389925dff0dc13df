--[[
  A guest writes an entry, which lives in the guest's bucket.

  Keys:    guest(user_id), guest_entries(user_id), entry(id)
  Effects: entries()
  Input:   id string, user_id string, document string, now integer
  Output:  count integer
]]
redis.call('SET', key.entry(id), document)
redis.call('SADD', key.guest_entries(user_id), id)
local count = redis.call('SCARD', key.guest_entries(user_id))
redis.call('HSET', key.guest(user_id), 'user_id', user_id, 'entries_count', count)
emit('ZADD', key.entries(), now, id)
return count
