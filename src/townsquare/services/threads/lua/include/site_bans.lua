--[[
  is_blocked(site_id, user_id, now): whether a user is banned on a site and the ban has not ended.

  Keys: site_blocked(*), site_blocked_until(*)
]]
local function is_blocked(site_id, user_id, now)
  if redis.call('SISMEMBER', key.site_blocked(site_id), user_id) == 0 then return false end
  local until_ms = redis.call('ZSCORE', key.site_blocked_until(site_id), user_id)
  return not until_ms or tonumber(until_ms) > now
end
