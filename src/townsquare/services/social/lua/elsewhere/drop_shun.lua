--[[
  Take a block or mute back: there is nobody on its other side.

  Keys:    blocking(username), muting(username)
  Input:   username string, other string, kind string
  Output:  nothing
  Include: shunning
]]
redis.call('ZREM', shunned_by(username, kind), other)
