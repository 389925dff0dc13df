--[[
  The side of who likes a note; only those who stay may.

  Keys:    person(name), praises(name)
  Refused: drop_praise(id, name)
  Input:   name string, id string
  Output:  nothing
  Errors:  no_such_person
  Include: staying
]]
if not staying(name) then return refuse('no_such_person') end
redis.call('SADD', key.praises(name), id)
