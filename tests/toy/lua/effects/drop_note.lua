--[[
  A note of this person is gone.

  Keys:   person(name), person_notes(name)
  Input:  name string, id string
  Output: nothing
]]
redis.call('SREM', key.person_notes(name), id)
if redis.call('EXISTS', key.person(name)) == 1 then
  redis.call('HSET', key.person(name), 'notes_count', redis.call('SCARD', key.person_notes(name)))
end
