--[[
  Ban a user from a site, for a while or for good, in the open or in the shadow; or end that.

  Keys:    site(site_id), site_blocked(site_id), site_blocked_until(site_id), site_shadowbanned(site_id),
           site_admins(site_id), site_moderators(site_id)
  Input:   site_id string, user_id string, kind string, banned boolean, until_ms integer?
  Output:  changed boolean
  Errors:  site_not_found, cannot_ban_moderator
]]
if redis.call('EXISTS', key.site(site_id)) == 0 then return refuse('site_not_found') end
if banned and (redis.call('SISMEMBER', key.site_admins(site_id), user_id) == 1
  or redis.call('SISMEMBER', key.site_moderators(site_id), user_id) == 1) then
  return refuse('cannot_ban_moderator')
end
if kind == 'shadow' then
  return redis.call(banned and 'SADD' or 'SREM', key.site_shadowbanned(site_id), user_id)
end
local changed = redis.call(banned and 'SADD' or 'SREM', key.site_blocked(site_id), user_id)
if banned and until_ms then
  redis.call('ZADD', key.site_blocked_until(site_id), until_ms, user_id)
else
  redis.call('ZREM', key.site_blocked_until(site_id), user_id)
end
return changed
