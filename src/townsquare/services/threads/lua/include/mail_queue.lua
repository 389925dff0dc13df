--[[
  queue_mail(user_id, ids, now): add comments to the next mail to a user, if the user can and wants to get mail.

  Keys:    user(*), user_mail(*)
  Include: jobs, derived_id
]]
local function queue_mail(user_id, ids, now)
  local id, deleting, email, verified, job = unpack(redis.call('HMGET', key.user(user_id), 'id', 'deleting', 'email',
    'email_verified', 'mail_job'))
  if not id or deleting or not email or verified ~= 'true' then return end
  for _, comment_id in ipairs(ids) do redis.call('ZADD', key.user_mail(user_id), now, comment_id) end
  if job then return end
  job = derived_id(user_id, now)
  redis.call('HSET', key.user(user_id), 'mail_job', job)
  start_job(job, const.MAIL_USER_JOB, {user_id = user_id, job = job}, now, const.MAIL_WAITS_MS)
end
