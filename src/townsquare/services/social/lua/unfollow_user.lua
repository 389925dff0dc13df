--[[
  Stop following somebody.

  Keys:    user(username), following(username)
  Runs:    remove_follower
  Input:   username string, other string
  Output:  changed boolean, count integer
  Errors:  profile_not_found
  Include: living, follows
]]
if not living(username) then return refuse('profile_not_found') end
local changed = unfollow_locally(username, other)
if changed == 1 then run.remove_follower(other, username) end
return {changed, redis.call('SCARD', key.following(username))}
