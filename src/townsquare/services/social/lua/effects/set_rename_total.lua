--[[
  Set how much a rename has to do, for its progress.

  Keys:    user(username)
  Input:   username string, job string, total integer
  Include: jobs
]]
if redis.call('HGET', key.user(username), 'arriving') == job then redis.call('HSET', key.job(job), 'total', total) end
