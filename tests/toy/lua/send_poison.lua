--[[
  Effects that cannot be applied, before one that can: a key that nobody declares, a value that no key can
  have, a command of the wrong type, a script that refuses.

  Keys:    person(name)
  Effects: city_people(city), note_likes(*), people_joined()
  Runs:    follow
  Input:   name string, city string
  Output:  nothing
]]
emit('SADD', {'toy.nowhere', name}, name)
emit('SADD', key.note_likes('not an id'), name)
emit('LPUSH', key.people_joined(), name)
run.follow('nobody', name)
emit('SADD', key.city_people(city), name)
