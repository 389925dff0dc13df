--[[
  Close a page for comments, or open it again.

  Keys:    page(page_id)
  Runs:    log_action
  Input:   page_id string, site_id string, closed boolean, entry string, now integer
  Output:  changed boolean
  Errors:  page_not_found
]]
local of_site, before, deleting = unpack(redis.call('HMGET', key.page(page_id), 'site_id', 'closed', 'deleting'))
if of_site ~= site_id or deleting then return refuse('page_not_found') end
if (before == 'true') == closed then return 0 end
if closed then
  redis.call('HSET', key.page(page_id), 'closed', 'true')
else
  redis.call('HDEL', key.page(page_id), 'closed')
end
run.log_action(site_id, entry, now)
return 1
