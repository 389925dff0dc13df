--[[
  Follow somebody.

  Keys:    person(name), follows(name)
  Runs:    add_follower
  Input:   name string, other string
  Output:  follows integer
  Errors:  no_such_person
  Include: staying
]]
if not staying(name) then return refuse('no_such_person') end
redis.call('SADD', key.follows(name), other)
local count = redis.call('SCARD', key.follows(name))
redis.call('HSET', key.person(name), 'follows_count', count)
run.add_follower(other, name)
return count
