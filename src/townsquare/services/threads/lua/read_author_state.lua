--[[
  Whether a user is banned or shadow-banned on a site, and the user's recent comments with the same text.

  Keys:    site_blocked(site_id), site_blocked_until(site_id), site_shadowbanned(site_id)
  Reads:   find_duplicates
  Input:   site_id string, user_id string, fingerprint string, now integer
  Output:  banned boolean, shadowed boolean, find_duplicates [string]
  Include: site_bans
]]
return {
  is_blocked(site_id, user_id, now) and 1 or 0,
  redis.call('SISMEMBER', key.site_shadowbanned(site_id), user_id),
  read.find_duplicates(user_id, fingerprint),
}
