--[[
  open_update(id, job, known, upcoming, now): start the job that propagates a change to other services, unless it
  is open: an open job continues with the current account. `known` is the account before the change, `upcoming`
  after it. Returns the open job.

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
