--[[
  Follow somebody.

  Keys:    user(username), following(username), blocking(username), blocked_by(username)
  Asks:    add_follower (profile_not_found)
  Input:   username string, other string, limit integer, now integer
  Output:  changed boolean, count integer
  Errors:  profile_not_found, following_too_many
  Include: active_user, follows
]]
if not active_user(username) then return refuse('profile_not_found') end
if redis.call('ZSCORE', key.blocking(username), other) or redis.call('ZSCORE', key.blocked_by(username), other) then
  return refuse('profile_not_found')
end
local count = redis.call('SCARD', key.following(username))
if redis.call('SISMEMBER', key.following(username), other) == 1 then return {0, count} end
if count >= limit then return refuse('following_too_many') end

local refusal = ask.add_follower(other, username, now)
if refusal then return refusal end
add_following(username, other, now)
return {1, count + 1}
