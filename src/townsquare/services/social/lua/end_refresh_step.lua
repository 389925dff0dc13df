--[[
  End a step of a refresh: posts up to `reached` are refreshed, or all of them. If the mark of the step is not in
  the profile any more, something has changed since it began and the next step starts from the first post.

  Keys:    user(username)
  Input:   username string, job string, mark string, reached string, finished boolean
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
