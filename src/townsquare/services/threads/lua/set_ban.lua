--[[
  Ban a user from a site, or end a ban: until a time or permanently, openly or as a shadow ban. A job applies the ban
  to the user's existing comments.

  Keys:    site(site_id), site_blocked(site_id), site_blocked_until(site_id), site_shadowbanned(site_id),
           site_admins(site_id), site_moderators(site_id), site_open_bans(site_id)
  Effects: user_sites(*)
  Runs:    log_action
  Input:   site_id string, user_id string, kind string, banned boolean, until_ms integer?, remove boolean,
           job string, entry string, now integer
  Output:  changed boolean, job string
  Errors:  site_not_found, cannot_ban_moderator
  Include: jobs
]]
if redis.call('EXISTS', key.site(site_id)) == 0 then return refuse('site_not_found') end
if banned and (redis.call('SISMEMBER', key.site_admins(site_id), user_id) == 1
  or redis.call('SISMEMBER', key.site_moderators(site_id), user_id) == 1) then
  return refuse('cannot_ban_moderator')
end

if banned then emit('SADD', key.user_sites(user_id), site_id) end
local open = key.site_open_bans(site_id)
local text = redis.call('HGET', open, user_id)
local work = text and cjson.decode(text)
local function begin(removes)
  local id = work and work.job or job
  redis.call('HSET', open, user_id, cjson.encode({job = id, remove = removes, reached = '', mark = ''}))
  if not work then
    start_job(id, const.APPLY_BAN_JOB, {site_id = site_id, user_id = user_id, job = id}, now)
  end
  return id
end

local changed
if kind == 'shadow' then
  changed = redis.call(banned and 'SADD' or 'SREM', key.site_shadowbanned(site_id), user_id)
  if changed == 0 then return {0, work and work.job or ''} end
  run.log_action(site_id, entry, now)
  return {1, begin(work and work.remove or false)}
end

local ends = key.site_blocked_until(site_id)
local before = redis.call('ZSCORE', ends, user_id)
changed = redis.call(banned and 'SADD' or 'SREM', key.site_blocked(site_id), user_id)
if banned and until_ms then
  redis.call('ZADD', ends, until_ms, user_id)
else
  redis.call('ZREM', ends, user_id)
end
if redis.call('ZSCORE', ends, user_id) ~= before then changed = 1 end
if changed == 1 or remove then run.log_action(site_id, entry, now) end
if banned and remove then return {changed, begin(true)} end
if not banned and work and work.remove then return {changed, begin(false)} end
return {changed, work and work.job or ''}
