--[[
  End one session of a user.

  Keys:   session(session_id), user_sessions(id)
  Input:  id string, session_id string
  Errors: session_not_found
]]
if redis.call('HGET', key.session(session_id), 'user_id') ~= id then return refuse('session_not_found') end
redis.call('DEL', key.session(session_id))
redis.call('ZREM', key.user_sessions(id), session_id)
