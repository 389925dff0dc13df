--[[
  Somebody likes a note.

  Keys:   note(id), note_likes(id)
  Input:  id string, who string
  Output: likes integer
  Errors: no_such_note
]]
local text = redis.call('GET', key.note(id))
if not text then return refuse('no_such_note') end
redis.call('SADD', key.note_likes(id), who)
local count = redis.call('SCARD', key.note_likes(id))
text = string.gsub(text, '"likes_count":%d+', '"likes_count":' .. count, 1)
redis.call('SET', key.note(id), text)
return count
