--[[
  Exchange the refresh token of a session. For a few seconds the previous token returns the same new one. An older
  token was copied: the session ends. It also ends if the user may no longer sign in. A token refreshed by a site
  is valid only for that site afterwards.

  Keys:   session(session_id), user(*), user_sessions(*)
  Input:  session_id string, refresh string, fresh string, user_agent string, ip string, scope string?,
          now integer, now_iso string
  Output: outcome string, user_id string
  Include: deadlines
]]
local name = key.session(session_id)
local user_id, valid, previous, rotated_at, kept_scope =
  unpack(redis.call('HMGET', name, 'user_id', 'refresh', 'previous', 'rotated_at', 'scope'))
if not user_id or (kept_scope and kept_scope ~= scope) then return {'unknown', ''} end
valid = valid and valid:sub(1, #refresh)  -- earlier versions stored the whole hash
previous = previous and previous:sub(1, #refresh)

local text = redis.call('GET', key.user(user_id))
local status = text and cjson.decode(text).accountStatus
local closed = not text or status == 'suspended' or status == 'disabled'
local again = previous == refresh and valid == fresh and ms_left(rotated_at, now, const.REFRESH_GRACE_MS) > 0
if again and not closed then return {'fresh', user_id} end
if closed or valid ~= refresh then
  redis.call('DEL', name)
  redis.call('ZREM', key.user_sessions(user_id), session_id)
  return {closed and 'closed' or 'reused', user_id}
end

redis.call('HSET', name, 'refresh', fresh, 'previous', refresh, 'rotated_at', now, 'last_used', now_iso,
  'user_agent', user_agent, 'ip', ip)
if scope then redis.call('HSET', name, 'scope', scope) end
redis.call('HINCRBY', name, 'rotation', 1)
redis.call('EXPIRE', name, lifetime.session)
redis.call('EXPIRE', key.user_sessions(user_id), lifetime.user_sessions)
return {'fresh', user_id}
