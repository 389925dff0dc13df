--[[
  The other side of a follow. If there is nobody to follow any more, the follow is taken back.

  Keys:    person(name), followers(name)
  Runs:    drop_follow
  Input:   name string, follower string
  Output:  nothing
  Include: staying
]]
if not staying(name) then
  run.drop_follow(follower, name)
  return
end
redis.call('SADD', key.followers(name), follower)
redis.call('HSET', key.person(name), 'followers_count', redis.call('SCARD', key.followers(name)))
