--[[
  A comment waits for the moderators of a site; they hear of it, not more often than the site says.

  Keys:    site(site_id), site_modqueue(site_id), site_alerts(site_id), site_alerts_new(site_id)
  Input:   site_id string, comment_id string, created_at integer
  Include: alert_job
]]
redis.call('ZADD', key.site_modqueue(site_id), created_at, comment_id)
local settings = redis.call('HGET', key.site(site_id), 'settings')
local alerts = settings and cjson.decode(settings).alerts
if not alerts or (alerts.webhook == '' and #alerts.emails == 0) then return end
redis.call('ZADD', key.site_alerts_new(site_id), created_at, comment_id)
start_alert(site_id, alerts.every_minutes, created_at)
