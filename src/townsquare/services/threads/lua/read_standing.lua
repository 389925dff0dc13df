--[[
  Whether a user may write on a site and is shadow-banned there, with the user's latest comments of one text.

  Keys:    site_blocked(site_id), site_blocked_until(site_id), site_shadowbanned(site_id)
  Reads:   read_said
  Input:   site_id string, user_id string, fingerprint string, now integer
  Output:  banned boolean, shadowed boolean, read_said [string]
  Include: site_bans
]]
return {
  is_blocked(site_id, user_id, now) and 1 or 0,
  redis.call('SISMEMBER', key.site_shadowbanned(site_id), user_id),
  read.read_said(user_id, fingerprint),
}
