--[[
  End the job that sends the number of comments to a post, unless the number has changed since.

  Keys:    page(page_id)
  Input:   page_id string, count integer
  Output:  done boolean
  Include: jobs
]]
if tonumber(redis.call('HGET', key.page(page_id), 'comment_count') or 0) ~= count then return 0 end
finish_job(page_id)
return 1
