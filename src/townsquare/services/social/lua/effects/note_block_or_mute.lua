--[[
  The other side of a block or a mute. A block ends follows in both directions.

  Keys:    user(username), blocked_by(username), muted_by(username)
  Refused: drop_block_or_mute(by, username, kind)
  Input:   username string, by string, kind string, now integer
  Errors:  profile_not_found
  Include: active_user, follows
]]
if not active_user(username) then return refuse('profile_not_found') end
redis.call('ZADD', kind == 'block' and key.blocked_by(username) or key.muted_by(username), now, by)
if kind == 'block' then
  remove_following(username, by)
  remove_from_followers(username, by)
end
