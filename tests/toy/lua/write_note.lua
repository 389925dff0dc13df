--[[
  A note of a person, who lives in the bucket that its id carries. `text` is the note as JSON, but for the
  display name.

  Keys:    person(author), person_notes(author), note(id)
  Effects: tag_notes(*)
  Input:   id string, author string, head string, tail string, tags json
  Output:  notes integer
  Errors:  no_such_person
  Include: staying
]]
if not staying(author) then return refuse('no_such_person') end
local display = redis.call('HGET', key.person(author), 'display')
redis.call('SET', key.note(id), head .. cjson.encode(display) .. tail)
redis.call('SADD', key.person_notes(author), id)
local count = redis.call('SCARD', key.person_notes(author))
redis.call('HSET', key.person(author), 'notes_count', count)
for _, tag in ipairs(tags) do emit('SADD', key.tag_notes(tag), id) end
return count
