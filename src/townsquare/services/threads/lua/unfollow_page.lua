--[[
  Send a user no more mail about a page.

  Keys:    user_follows(user_id)
  Effects: page_followers(*)
  Input:   user_id string, page_id string
  Output:  changed boolean
]]
emit('SREM', key.page_followers(page_id), user_id)
return redis.call('SREM', key.user_follows(user_id), page_id)
