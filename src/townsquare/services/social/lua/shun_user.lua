--[[
  Block or mute somebody. A block ends follows in both directions.

  Keys:    user(username), blocking(username), muting(username)
  Asks:    note_shun (profile_not_found)
  Input:   username string, other string, kind string, now integer
  Output:  changed boolean
  Errors:  profile_not_found
  Include: living, follows, shunning
]]
if not living(username) then return refuse('profile_not_found') end
if redis.call('ZSCORE', shunned_by(username, kind), other) then return 0 end

local refusal = ask.note_shun(other, username, kind, now)
if refusal then return refusal end
redis.call('ZADD', shunned_by(username, kind), now, other)
if kind == 'block' then
  unfollow_locally(username, other)
  lose_follower(username, other)
end
return 1
