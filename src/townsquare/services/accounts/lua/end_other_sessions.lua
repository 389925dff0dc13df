--[[
  End all sessions of a user, or all but one.

  Keys:   user_sessions(id), session(*)
  Input:  id string, keep string?
  Output: ended integer
]]
local sessions, ended = key.user_sessions(id), 0
for _, session_id in ipairs(redis.call('ZRANGE', sessions, 0, const.SESSIONS_PER_USER)) do
  if session_id ~= keep then
    ended = ended + redis.call('DEL', key.session(session_id))
    redis.call('ZREM', sessions, session_id)
  end
end
return ended
