--[[
  Open a session of a user who may sign in. Expired sessions are removed, and the oldest if there are too
  many.

  Keys:   user(id), session(session_id), user_sessions(id), session(*)
  Input:  id string, session_id string, refresh string, method string, user_agent string, ip string,
          scope string?, now integer, now_iso string
  Errors: user_not_found, account_closed
]]
local text = redis.call('GET', key.user(id))
if not text then return refuse('user_not_found') end
local status = cjson.decode(text).accountStatus
if status == 'suspended' or status == 'disabled' then return refuse('account_closed') end

local sessions, living = key.user_sessions(id), {}
for _, other in ipairs(redis.call('ZRANGE', sessions, 0, const.SESSIONS_PER_USER)) do
  if redis.call('EXISTS', key.session(other)) == 1 then
    living[#living + 1] = other
  else
    redis.call('ZREM', sessions, other)
  end
end
for place = 1, #living - const.SESSIONS_PER_USER + 1 do
  redis.call('DEL', key.session(living[place]))
  redis.call('ZREM', sessions, living[place])
end

redis.call('HSET', key.session(session_id), 'user_id', id, 'created_at', now_iso, 'last_used', now_iso,
  'user_agent', user_agent, 'ip', ip, 'method', method, 'refresh', refresh)
if scope then redis.call('HSET', key.session(session_id), 'scope', scope) end
redis.call('EXPIRE', key.session(session_id), lifetime.session)
redis.call('ZADD', sessions, now, session_id)
redis.call('EXPIRE', sessions, lifetime.user_sessions)
