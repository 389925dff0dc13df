--[[
  Add merged posts to a home feed: the newest ones, or, if `since` names the oldest post that is in it, the
  next older ones. Does nothing if the feed was begun again or another reader has added that part.

  Keys:   home_feed(username), home_state(username)
  Input:  username string, token string, since string, posts [string], floor integer, floor_id string,
          complete boolean, big string
  Output: filled boolean
]]
local state, feed = key.home_state(username), key.home_feed(username)
local holder, ready, reached = unpack(redis.call('HMGET', state, 'token', 'ready', 'floor_id'))
if holder ~= token or (reached or '') ~= since then return 0 end

for place = 1, #posts, 2 do redis.call('ZADD', feed, posts[place + 1], posts[place]) end
if not ready and not complete then
  redis.call('ZREMRANGEBYSCORE', feed, '-inf', string.format('(%.0f', floor))
end
redis.call('HSET', state, 'ready', 1, 'floor', string.format('%.0f', floor), 'floor_id', floor_id, 'complete',
  complete and 1 or 0, 'big', big)
redis.call('PEXPIRE', feed, redis.call('PTTL', state))
return 1
