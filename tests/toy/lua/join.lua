--[[
  A new person, with an email that nobody else has.

  Keys:    person(name)
  Effects: city_people(city), people_joined()
  Claims:  indexes of person (claims) = name
  Input:   name string, display string, email string?, city string?, claims json, now integer
  Output:  nothing
  Errors:  person_exists
]]
if redis.call('EXISTS', key.person(name)) == 1 then return refuse('person_exists') end
redis.call('HSET', key.person(name), 'name', name, 'display', display, 'joined_at', string.format('%.0f', now),
  'follows_count', 0, 'followers_count', 0, 'notes_count', 0)
if email then redis.call('HSET', key.person(name), 'email', email) end
if city then
  redis.call('HSET', key.person(name), 'city', city)
  emit('SADD', key.city_people(city), name)
end
emit('ZADD', key.people_joined(), now, name)
keep_claims()
