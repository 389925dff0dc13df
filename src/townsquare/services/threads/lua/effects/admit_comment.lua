--[[
  Admit a comment, unless its author is banned on the site or the shadow ban differs from what the caller read.

  Keys:    site(site_id), site_blocked(site_id), site_blocked_until(site_id), site_shadowbanned(site_id)
  Refused: withdraw_comment(comment_id)
  Input:   site_id string, user_id string, comment_id string, shadowed boolean, now integer
  Errors:  site_not_found, banned, ban_changed
  Include: site_bans
]]
if redis.call('EXISTS', key.site(site_id)) == 0 then return refuse('site_not_found') end
if is_blocked(site_id, user_id, now) then return refuse('banned') end
if (redis.call('SISMEMBER', key.site_shadowbanned(site_id), user_id) == 1) ~= shadowed then
  return refuse('ban_changed')
end
