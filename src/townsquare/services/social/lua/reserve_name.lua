--[[
  Reserve the new name of a user who is renamed, and start the job that does it.

  Keys:    user(username), renamed(username)
  Input:   username string, old string, account string?, job string, now integer
  Errors:  username_taken
  Include: jobs
]]
local leads_to = redis.call('GET', key.renamed(username))
if redis.call('EXISTS', key.user(username)) == 1 or (leads_to and leads_to ~= old) then
  return refuse('username_taken')
end
redis.call('HSET', key.user(username), 'username', username, 'role', 'user', 'postCount', 0, 'followerCount', 0,
  'followingCount', 0, 'created_at', string.format('%.0f', now), 'deleting', job, 'arriving', job)
if account then redis.call('HSET', key.user(username), 'owner_account', account) end
start_job(job, const.RENAME_USER_JOB, {old = old, new = username, job = job}, now)
