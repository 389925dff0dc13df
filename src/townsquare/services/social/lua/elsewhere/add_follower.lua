--[[
  The other side of a follow. Who is gone, or blocks the follower, is not followed.

  Keys:    user(username), blocking(username)
  Runs:    drop_following
  Input:   username string, follower string, now integer
  Output:  outcome string (kept, nobody)
  Include: active_user, follows
]]
if not active_user(username) or redis.call('ZSCORE', key.blocking(username), follower) then
  run.drop_following(follower, username)
  return 'nobody'
end
add_to_followers(username, follower, now)
return 'kept'
