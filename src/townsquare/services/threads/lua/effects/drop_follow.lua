--[[
  Undo a follow: the page does not exist.

  Keys:    user_follows(user_id)
  Effects: page_followers(*)
  Input:   user_id string, page_id string
]]
redis.call('SREM', key.user_follows(user_id), page_id)
emit('SREM', key.page_followers(page_id), user_id)
