--[[
  Whom `name` followed is gone, or was not followed for long.

  Keys:   person(name), follows(name)
  Input:  name string, other string
  Output: nothing
]]
redis.call('SREM', key.follows(name), other)
if redis.call('EXISTS', key.person(name)) == 1 then
  redis.call('HSET', key.person(name), 'follows_count', redis.call('SCARD', key.follows(name)))
end
