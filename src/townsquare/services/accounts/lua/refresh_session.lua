--[[
  Exchange the refresh token of a session. An older one was copied: the session ends for everybody who
  holds a token of it. It also ends when its user may not sign in any more.

  Keys:   session(session_id), user(*), user_sessions(*)
  Input:  session_id string, refresh string, fresh string, user_agent string, ip string, now_iso string
  Output: outcome string, user_id string
]]
local name = key.session(session_id)
local found = redis.call('HMGET', name, 'user_id', 'refresh')
local user_id = found[1]
if not user_id then return {'unknown', ''} end

local text = redis.call('GET', key.user(user_id))
local status = text and cjson.decode(text).accountStatus
local closed = not text or status == 'suspended' or status == 'disabled'
if closed or found[2] ~= refresh then
  redis.call('DEL', name)
  redis.call('ZREM', key.user_sessions(user_id), session_id)
  return {closed and 'closed' or 'reused', user_id}
end

redis.call('HSET', name, 'refresh', fresh, 'last_used', now_iso, 'user_agent', user_agent, 'ip', ip)
redis.call('HINCRBY', name, 'rotation', 1)
redis.call('EXPIRE', name, lifetime.session)
redis.call('EXPIRE', key.user_sessions(user_id), lifetime.user_sessions)
return {'fresh', user_id}
