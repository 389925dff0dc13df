--[[
  end_sessions(id): end every session of a user; there are at most a hundred.

  Keys: user_sessions(*), session(*)
]]
local function end_sessions(id)
  local sessions = key.user_sessions(id)
  for _, session_id in ipairs(redis.call('ZRANGE', sessions, 0, -1)) do redis.call('DEL', key.session(session_id)) end
  redis.call('DEL', sessions)
end
