--[[
  is_blocked(site_id, user_id, now): whether a user may not write on a site; a ban that has ended is none.

  Keys: site_blocked(*), site_blocked_until(*)
]]
local function is_blocked(site_id, user_id, now)
  if redis.call('SISMEMBER', key.site_blocked(site_id), user_id) == 0 then return false end
  local until_ms = redis.call('ZSCORE', key.site_blocked_until(site_id), user_id)
  return not until_ms or tonumber(until_ms) > now
end
