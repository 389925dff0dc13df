--[[
  End a step of the job that updates the URL in comments: done up to `reached`, or without it completely. If the page
  has moved again since, the job starts over.

  Keys:    page(page_id)
  Input:   page_id string, job string, url string, reached string?
  Include: jobs
]]
local url_now, moving = unpack(redis.call('HMGET', key.page(page_id), 'url', 'moving'))
if moving ~= job then return finish_job(job) end
if url_now ~= url then
  redis.call('HSET', key.page(page_id), 'moved_to', '')
elseif reached then
  redis.call('HSET', key.page(page_id), 'moved_to', reached)
else
  redis.call('HDEL', key.page(page_id), 'moving', 'moved_to')
  finish_job(job)
end
