--[[
  open_update(id, job, known, upcoming, now): start the job by which other services take in a change, unless it is
  open: then it goes on with the account as it is when it gets there. `known` is the account before the change,
  `upcoming` after it. Answers the job that is open.

  Keys:    user_update(*)
  Include: jobs
]]
local function open_update(id, job, known, upcoming, now)
  local update = key.user_update(id)
  local open = redis.call('HGET', update, 'job')
  if not open then
    open = job
    redis.call('HSET', update, 'job', job, 'known', known)
    if upcoming ~= '' then redis.call('HSET', update, 'next', upcoming) end
  end
  if redis.call('EXISTS', key.job(open)) == 0 then
    start_job(open, const.UPDATE_SERVICES_JOB, {id = id, job = open}, now)
  end
  return open
end
