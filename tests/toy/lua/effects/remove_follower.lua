--[[
  The other side of an unfollow.

  Keys:   person(name), followers(name)
  Input:  name string, follower string
  Output: nothing
]]
redis.call('SREM', key.followers(name), follower)
if redis.call('EXISTS', key.person(name)) == 1 then
  redis.call('HSET', key.person(name), 'followers_count', redis.call('SCARD', key.followers(name)))
end
