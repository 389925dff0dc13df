--[[
  Remove comments that are being mailed to a user from the queue. If none are left, end the job.

  Keys:    user(user_id), user_mail(user_id)
  Input:   user_id string, job string, ids [string]
  Include: jobs
]]
for _, id in ipairs(ids) do redis.call('ZREM', key.user_mail(user_id), id) end
if redis.call('HGET', key.user(user_id), 'mail_job') == job then
  if redis.call('ZCARD', key.user_mail(user_id)) > 0 then return end
  redis.call('HDEL', key.user(user_id), 'mail_job')
end
finish_job(job)
