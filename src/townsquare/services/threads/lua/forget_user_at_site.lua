--[[
  Remove a deleted user from the roles and bans of a site, and the user's id from its log.

  Keys:    site_admins(site_id), site_moderators(site_id), site_blocked(site_id), site_blocked_until(site_id),
           site_shadowbanned(site_id), site_open_bans(site_id), site_log(site_id)
  Input:   site_id string, user_id string
]]
for _, set in ipairs({
  key.site_admins(site_id), key.site_moderators(site_id), key.site_blocked(site_id), key.site_shadowbanned(site_id),
}) do
  redis.call('SREM', set, user_id)
end
redis.call('ZREM', key.site_blocked_until(site_id), user_id)
redis.call('HDEL', key.site_open_bans(site_id), user_id)
local log = key.site_log(site_id)
-- bounded: LOG_KEPT
local entries = redis.call('ZRANGE', log, 0, -1, 'WITHSCORES')
for index = 1, #entries, 2 do
  if string.find(entries[index], user_id, 1, true) then
    local entry = cjson.decode(entries[index])
    if entry.moderator_id == user_id then entry.moderator_id = cjson.null end
    if entry.target == user_id then entry.target = '' end
    redis.call('ZREM', log, entries[index])
    redis.call('ZADD', log, entries[index + 1], cjson.encode(entry))
  end
end
