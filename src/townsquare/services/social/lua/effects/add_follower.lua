--[[
  The other side of a follow. Refused if the user is deleted or blocks the follower.

  Keys:    user(username), blocking(username)
  Refused: drop_following(follower, username)
  Input:   username string, follower string, now integer
  Errors:  profile_not_found
  Include: active_user, follows
]]
if not active_user(username) or redis.call('ZSCORE', key.blocking(username), follower) then
  return refuse('profile_not_found')
end
add_to_followers(username, follower, now)
notify(username, 'follow', follower, now)
