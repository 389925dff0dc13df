--[[
  Add a new post to a follower's home feed, if there is one and it reaches back to the post's time.

  Keys:   home_feed(username), home_state(username)
  Input:  username string, id string, created_at integer
]]
local token, ready, floor, floor_id, complete = unpack(redis.call('HMGET', key.home_state(username), 'token',
  'ready', 'floor', 'floor_id', 'complete'))
if not token then return end
if ready and complete ~= '1' then
  floor = tonumber(floor)
  if created_at < floor or (created_at == floor and id < floor_id) then return end
end
redis.call('ZADD', key.home_feed(username), created_at, id)
redis.call('PEXPIRE', key.home_feed(username), redis.call('PTTL', key.home_state(username)))
