--[[
  Stop blocking or muting somebody.

  Keys:    user(username), blocking(username), muting(username)
  Effects: blocked_by(other), muted_by(other)
  Input:   username string, other string, kind string
  Output:  changed boolean
  Errors:  profile_not_found
  Include: active_user, block_or_mute
]]
if not active_user(username) then return refuse('profile_not_found') end
local changed = redis.call('ZREM', blocked_or_muted(username, kind), other)
if changed == 1 then
  emit('ZREM', kind == 'block' and key.blocked_by(other) or key.muted_by(other), username)
end
return changed
