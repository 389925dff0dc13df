--[[
  Begin to build a home feed. From now on new posts are pushed into it. Answers `begun` 0 if another reader
  has begun and may still be at it.

  Keys:    user(username), following(username), home_feed(username), home_state(username)
  Input:   username string, token string, now integer
  Output:  begun boolean, followed [string]
  Errors:  profile_not_found
  Include: active_user
]]
if not active_user(username) then return refuse('profile_not_found') end
local followed = redis.call('SMEMBERS', key.following(username))  -- bounded: the limit on follows
local state = key.home_state(username)
local began_at, ready = unpack(redis.call('HMGET', state, 'began_at', 'ready'))
if began_at and not ready and math.abs(now - tonumber(began_at)) < const.BUILDING_MS then return {0, followed} end

redis.call('DEL', state, key.home_feed(username))
redis.call('HSET', state, 'token', token, 'began_at', string.format('%.0f', now))
redis.call('EXPIRE', state, lifetime.home_state)
return {1, followed}
