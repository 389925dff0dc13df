--[[
  Everything has come. What posts copy of a profile is brought to all of them once more: it may have changed
  on the way. `led_until` is 0 where the old name does not lead here: somebody else has it by now.

  Keys:    user(username), user_posts(username), banned_posts(username), former_names(username)
  Input:   username string, old string, led_until integer, job string, refresh string, now integer
  Output:  nothing
  Include: jobs
]]
finish_job(job)
local name = key.user(username)
if redis.call('HGET', name, 'arriving') ~= job then return end
redis.call('HDEL', name, 'arriving')
redis.call('ZREMRANGEBYSCORE', key.former_names(username), '-inf', string.format('%.0f', now))
if led_until > now then redis.call('ZADD', key.former_names(username), string.format('%.0f', led_until), old) end

if redis.call('ZCARD', key.user_posts(username)) + redis.call('ZCARD', key.banned_posts(username)) == 0 then return end
redis.call('HSET', name, 'refreshed_to', '')
if redis.call('HSETNX', name, 'refreshing', refresh) == 1 then
  start_job(refresh, const.REFRESH_POSTS_JOB, {username = username, job = refresh}, now)
end
