--[[
  Take a block or mute back: there is nobody on its other side. Both sides: it may have been made again since.

  Keys:    blocking(username), muting(username)
  Effects: blocked_by(other), muted_by(other)
  Input:   username string, other string, kind string
  Include: block_or_mute
]]
if redis.call('ZREM', blocked_or_muted(username, kind), other) == 1 then
  emit('ZREM', kind == 'block' and key.blocked_by(other) or key.muted_by(other), username)
end
