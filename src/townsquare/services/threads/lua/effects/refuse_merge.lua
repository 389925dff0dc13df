--[[
  Undo a merge that the other page has refused.

  Keys:    page(page_id), page_moved(page_id)
  Input:   page_id string, job string
  Include: jobs
]]
if redis.call('HGET', key.page(page_id), 'merging') == job then
  redis.call('HDEL', key.page(page_id), 'merging')
  redis.call('DEL', key.page_moved(page_id))
end
finish_job(job)
