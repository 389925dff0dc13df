--[[
  Mark these comments as reported to the moderators, and schedule an alert for newer ones.

  Keys:    site_alerts(site_id), site_alerts_new(site_id)
  Input:   site_id string, job string, ids [string], minutes integer, now integer
  Include: alert_job
]]
local alerts = key.site_alerts(site_id)
finish_job(job)
if redis.call('HGET', alerts, 'job') ~= job then return end
for _, id in ipairs(ids) do redis.call('ZREM', key.site_alerts_new(site_id), id) end
redis.call('HDEL', alerts, 'job')
redis.call('HSET', alerts, 'sent_at', string.format('%.0f', now))
if redis.call('ZCARD', key.site_alerts_new(site_id)) > 0 then start_alert(site_id, minutes, now) end
