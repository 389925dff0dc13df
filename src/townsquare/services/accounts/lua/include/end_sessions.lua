--[[
  end_sessions(id): end every session of a user.

  Keys: user_sessions(*), session(*)
]]
local function end_sessions(id)
  local sessions = key.user_sessions(id)
  for _ = 1, redis.call('ZCARD', sessions), const.SESSIONS_PER_USER do
    local found = redis.call('ZPOPMIN', sessions, const.SESSIONS_PER_USER)
    for place = 1, #found, 2 do redis.call('DEL', key.session(found[place])) end
  end
end
