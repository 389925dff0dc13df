--[[
  Block or mute somebody. A block ends follows in both directions.

  Keys:    user(username), blocking(username), muting(username)
  Asks:    note_block_or_mute (profile_not_found)
  Input:   username string, other string, kind string, now integer
  Output:  changed boolean
  Errors:  profile_not_found
  Include: active_user, follows, block_or_mute
]]
if not active_user(username) then return refuse('profile_not_found') end
if redis.call('ZSCORE', blocked_or_muted(username, kind), other) then return 0 end

local refusal = ask.note_block_or_mute(other, username, kind, now)
if refusal then return refusal end
redis.call('ZADD', blocked_or_muted(username, kind), now, other)
if kind == 'block' then
  remove_following(username, other)
  remove_from_followers(username, other)
end
return 1
