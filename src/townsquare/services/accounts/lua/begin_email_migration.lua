--[[
  Start the migration of email addresses, once.

  Keys:    email_migration()
  Input:   job string, now integer
  Output:  begun boolean
  Include: jobs
]]
if redis.call('EXISTS', key.email_migration()) == 1 then return 0 end
redis.call('SET', key.email_migration(), cjson.encode({job = job, cursor = cjson.null, done = false}))
start_job(job, const.EMAIL_MIGRATION_JOB, {job = job}, now)
return 1
