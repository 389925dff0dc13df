--[[
  End a rename: everything is under the new name. The copies of the profile in posts are refreshed once more,
  since it may have changed meanwhile. The old name may be somebody else's by now, or lead
  here (`redirected`).

  Keys:    user(username), user_posts(username), banned_posts(username), former_names(username)
  Input:   username string, old string, redirected boolean, job string, refresh string, now integer
  Include: jobs
]]
finish_job(job)
local name = key.user(username)
if redis.call('HGET', name, 'arriving') ~= job then return end
redis.call('HDEL', name, 'arriving')
redis.call('ZREMRANGEBYSCORE', key.former_names(username), '-inf', string.format('%.0f', now))
if redirected then
  redis.call('ZADD', key.former_names(username), string.format('%.0f', now + lifetime.renamed * 1000), old)
end

if redis.call('ZCARD', key.user_posts(username)) + redis.call('ZCARD', key.banned_posts(username)) == 0 then return end
redis.call('HSET', name, 'refreshed_to', '')
if redis.call('HSETNX', name, 'refreshing', refresh) == 1 then
  start_job(refresh, const.REFRESH_POSTS_JOB, {username = username, job = refresh}, now)
end
