--[[
  Posts up to `reached` have been refreshed, or all of them. If the profile has changed since `before`,
  the job begins again instead.

  Keys:    user(username)
  Input:   username string, job string, before string, reached string, finished boolean
  Output:  nothing
  Include: jobs
]]
local running, at = unpack(redis.call('HMGET', key.user(username), 'refreshing', 'refreshed_to'))
if running ~= job then
  finish_job(job)
elseif at == before then
  if finished then
    redis.call('HDEL', key.user(username), 'refreshing', 'refreshed_to')
    finish_job(job)
  else
    redis.call('HSET', key.user(username), 'refreshed_to', reached)
  end
end
