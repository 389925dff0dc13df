--[[
  End a step of the job that moves pages: done up to `reached`, or without it completely.

  Keys:    site_moves(site_id)
  Input:   site_id string, job string, reached string?
  Include: jobs
]]
if reached and redis.call('HEXISTS', key.site_moves(site_id), job) == 1 then
  redis.call('HSET', key.site_moves(site_id), job, reached)
else
  redis.call('HDEL', key.site_moves(site_id), job)
  finish_job(job)
end
