--[[
  A person moves to another city.

  Keys:    person(name)
  Effects: city_people(*)
  Input:   name string, city string
  Output:  nothing
  Errors:  no_such_person
  Include: staying
]]
if not staying(name) then return refuse('no_such_person') end
local before = redis.call('HGET', key.person(name), 'city')
redis.call('HSET', key.person(name), 'city', city)
if before and before ~= city then emit('SREM', key.city_people(before), name) end
emit('SADD', key.city_people(city), name)
