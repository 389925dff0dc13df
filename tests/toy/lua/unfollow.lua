--[[
  Follow somebody no longer.

  Keys:    person(name), follows(name)
  Runs:    remove_follower
  Input:   name string, other string
  Output:  follows integer
  Errors:  no_such_person
  Include: staying
]]
if not staying(name) then return refuse('no_such_person') end
redis.call('SREM', key.follows(name), other)
local count = redis.call('SCARD', key.follows(name))
redis.call('HSET', key.person(name), 'follows_count', count)
run.remove_follower(other, name)
return count
