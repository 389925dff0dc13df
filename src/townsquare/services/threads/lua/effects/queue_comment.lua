--[[
  Put a comment into the moderation queue of a site, and schedule an alert if the site has configured alerts.

  Keys:    site(site_id), site_modqueue(site_id), site_alerts(site_id), site_alerts_new(site_id)
  Input:   site_id string, comment_id string, created_at integer
  Include: alert_job
]]
redis.call('ZADD', key.site_modqueue(site_id), created_at, comment_id)
local settings = redis.call('HGET', key.site(site_id), 'settings')  -- those that differ from the defaults
local alerts = settings and cjson.decode(settings).alerts
if not alerts or not (alerts.webhook or alerts.emails) then return end
redis.call('ZADD', key.site_alerts_new(site_id), created_at, comment_id)
start_alert(site_id, alerts.every_minutes or const.ALERT_MINUTES, created_at)
