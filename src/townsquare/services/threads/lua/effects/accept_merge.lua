--[[
  Begin to receive the comments of another page of the site. A page receives from one page at a time.

  Keys:    page(page_id)
  Refused: refuse_merge(from_id, job)
  Input:   page_id string, from_id string, site_id string, job string
  Errors:  page_not_found, page_merging
]]
local of_site, deleting, merging, receives, post_id = unpack(redis.call('HMGET', key.page(page_id), 'site_id',
  'deleting', 'merging', 'receives', 'post_id'))
if of_site ~= site_id or deleting or post_id then return refuse('page_not_found') end
if merging or (receives and receives ~= job) then return refuse('page_merging') end
redis.call('HSET', key.page(page_id), 'receives', job)
