--[[
  Send a user mail about new comments on a page.

  Keys:    user(user_id), user_follows(user_id)
  Asks:    add_follower (page_not_found, other_site)
  Input:   user_id string, page_id string, site_id string
  Output:  changed boolean
  Errors:  commenter_not_found, too_many_follows
]]
local id, deleting = unpack(redis.call('HMGET', key.user(user_id), 'id', 'deleting'))
if not id or deleting then return refuse('commenter_not_found') end
local follows = key.user_follows(user_id)
if redis.call('SISMEMBER', follows, page_id) == 1 then return 0 end
if redis.call('SCARD', follows) >= const.FOLLOWS then return refuse('too_many_follows') end
local refusal = ask.add_follower(page_id, user_id, site_id)
if refusal then return refusal end
redis.call('SADD', follows, page_id)
return 1
