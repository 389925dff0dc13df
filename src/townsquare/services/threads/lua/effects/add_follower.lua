--[[
  Add a user to the followers of a page, if the site has this page.

  Keys:    page(page_id), page_followers(page_id)
  Refused: drop_follow(user_id, page_id)
  Input:   page_id string, user_id string, site_id string
  Errors:  page_not_found, other_site
]]
local of_site, deleting = unpack(redis.call('HMGET', key.page(page_id), 'site_id', 'deleting'))
if not of_site or deleting then return refuse('page_not_found') end
if of_site ~= site_id then return refuse('other_site') end
redis.call('SADD', key.page_followers(page_id), user_id)
