--[[
  Begin to delete what is known of an actor, or find the job that does. From now on their events are refused.

  Keys:    forgetting(actor)
  Include: jobs
  Input:   actor string, job string, now integer
  Output:  job string
]]
local running = redis.call('GET', key.forgetting(actor))
if running then return running end

redis.call('SET', key.forgetting(actor), job)
start_job(job, const.FORGET_JOB, {actor = actor}, now)
return job
