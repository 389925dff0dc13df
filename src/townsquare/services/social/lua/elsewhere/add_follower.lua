--[[
  The other side of a follow. Who is gone, or blocks the follower, is not followed.

  Keys:    user(username), blocking(username)
  Runs:    drop_following
  Input:   username string, follower string, now integer
  Output:  outcome string (kept, nobody)
  Include: living, follows
]]
if not living(username) or redis.call('ZSCORE', key.blocking(username), follower) then
  run.drop_following(follower, username)
  return 'nobody'
end
gain_follower(username, follower, now)
return 'kept'
