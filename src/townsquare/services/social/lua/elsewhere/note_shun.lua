--[[
  The other side of a block or a mute. A block ends follows in both directions.

  Keys:    user(username), blocked_by(username), muted_by(username)
  Refused: drop_shun(by, username, kind)
  Input:   username string, by string, kind string, now integer
  Output:  nothing
  Errors:  profile_not_found
  Include: living, follows
]]
if not living(username) then return refuse('profile_not_found') end
redis.call('ZADD', kind == 'block' and key.blocked_by(username) or key.muted_by(username), now, by)
if kind == 'block' then
  unfollow_locally(username, by)
  lose_follower(username, by)
end
