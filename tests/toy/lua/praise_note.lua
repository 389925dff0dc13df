--[[
  Like a note as somebody who is there.

  Keys:   note(id), note_likes(id)
  Asks:   note_praise (no_such_person)
  Input:  id string, who string
  Output: likes integer
  Errors: no_such_note
]]
local text = redis.call('GET', key.note(id))
if not text then return refuse('no_such_note') end
local refusal = ask.note_praise(who, id)
if refusal then return refusal end
redis.call('SADD', key.note_likes(id), who)
local count = redis.call('SCARD', key.note_likes(id))
redis.call('SET', key.note(id), (string.gsub(text, '"likes_count":%d+', '"likes_count":' .. count, 1)))
return count
