--[[
  start_alert(site_id, minutes, at): schedule an alert to the moderators, `minutes` after the last one at the earliest.

  Keys:    site_alerts(*)
  Include: jobs, derived_id, deadlines
]]
local function start_alert(site_id, minutes, at)
  local job, sent_at = unpack(redis.call('HMGET', key.site_alerts(site_id), 'job', 'sent_at'))
  if job then return end
  local wait = ms_left(sent_at or 0, at, minutes * 60000)
  job = derived_id(site_id, at + wait)
  redis.call('HSET', key.site_alerts(site_id), 'job', job)
  start_job(job, const.ALERT_JOB, {site_id = site_id, job = job}, at, wait)
end
