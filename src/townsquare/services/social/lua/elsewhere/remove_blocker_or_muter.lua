--[[
  A user who blocks or mutes this one was deleted: remove this side of it.

  Keys:    blocked_by(username), muted_by(username)
  Input:   username string, gone string, kind string
  Output:  nothing
]]
redis.call('ZREM', kind == 'block' and key.blocked_by(username) or key.muted_by(username), gone)
