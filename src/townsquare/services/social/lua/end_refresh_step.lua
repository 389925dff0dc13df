--[[
  The step with this mark has refreshed posts up to `reached`, or all of them. Without its mark in the
  profile something has changed since it began, and it has done nothing: the next step begins again.

  Keys:    user(username)
  Input:   username string, job string, mark string, reached string, finished boolean
  Output:  nothing
  Include: jobs
]]
local running, at = unpack(redis.call('HMGET', key.user(username), 'refreshing', 'refreshed_to'))
if running ~= job then
  finish_job(job)
elseif at and string.match(at, '@(.*)$') == mark then
  if finished then
    redis.call('HDEL', key.user(username), 'refreshing', 'refreshed_to')
    finish_job(job)
  else
    redis.call('HSET', key.user(username), 'refreshed_to', reached)
  end
end
