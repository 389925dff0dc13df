--[[
  The post knows how many comments it has. Done, unless there are more or fewer by now.

  Keys:    page(page_id)
  Input:   page_id string, count integer
  Output:  done boolean
  Include: jobs
]]
if tonumber(redis.call('HGET', key.page(page_id), 'comment_count') or 0) ~= count then return 0 end
finish_job(page_id)
return 1
