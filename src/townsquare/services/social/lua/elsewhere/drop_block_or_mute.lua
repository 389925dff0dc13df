--[[
  Take a block or mute back: there is nobody on its other side.

  Keys:    blocking(username), muting(username)
  Input:   username string, other string, kind string
  Output:  nothing
  Include: block_or_mute
]]
redis.call('ZREM', blocked_or_muted(username, kind), other)
