--[[
  Replace a merged page by the page that remains, among the pages that a user follows.

  Keys:    user(user_id), user_follows(user_id)
  Effects: page_followers(*)
  Input:   user_id string, page_id string, into_id string
]]
local id, deleting = unpack(redis.call('HMGET', key.user(user_id), 'id', 'deleting'))
if redis.call('SREM', key.user_follows(user_id), page_id) == 1 and id and not deleting then
  redis.call('SADD', key.user_follows(user_id), into_id)
  emit('SADD', key.page_followers(into_id), user_id)
end
emit('SREM', key.page_followers(page_id), user_id)
