--[[
  Make a user administrator or moderator of a site, or neither.

  Keys:    site(site_id), site_admins(site_id), site_moderators(site_id)
  Effects: user_sites(*)
  Input:   site_id string, user_id string, role string
  Output:  changed boolean
  Errors:  site_not_found
]]
if redis.call('EXISTS', key.site(site_id)) == 0 then return refuse('site_not_found') end
local admins, moderators = key.site_admins(site_id), key.site_moderators(site_id)
local changed = 0
local function put(set, belongs)
  changed = changed + redis.call(belongs and 'SADD' or 'SREM', set, user_id)
end
if role ~= 'user' then emit('SADD', key.user_sites(user_id), site_id) end
put(admins, role == 'admin')
put(moderators, role == 'moderator')
return changed > 0 and 1 or 0
