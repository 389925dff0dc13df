--[[
  Stop following somebody.

  Keys:    user(username), following(username)
  Runs:    remove_follower
  Input:   username string, other string
  Output:  changed boolean, count integer
  Errors:  profile_not_found
  Include: active_user, follows
]]
if not active_user(username) then return refuse('profile_not_found') end
local changed = remove_following(username, other)
if changed == 1 then run.remove_follower(other, username) end
return {changed, redis.call('SCARD', key.following(username))}
