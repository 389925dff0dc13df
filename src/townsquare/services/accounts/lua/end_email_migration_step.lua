--[[
  Keep how far the migration of email addresses has come; without a next page it is done.

  Keys:    email_migration()
  Input:   job string, cursor string?
  Include: jobs
]]
redis.call('SET', key.email_migration(), cjson.encode({job = job, cursor = cursor or cjson.null, done = not cursor}))
if not cursor then finish_job(job) end
