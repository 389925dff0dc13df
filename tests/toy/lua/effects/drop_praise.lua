--[[
  Take a like back.

  Keys:    note(id), note_likes(id)
  Effects: praises(who)
  Input:   id string, who string
  Output:  nothing
]]
local text = redis.call('GET', key.note(id))
if not text or redis.call('SREM', key.note_likes(id), who) == 0 then return end
local count = redis.call('SCARD', key.note_likes(id))
redis.call('SET', key.note(id), (string.gsub(text, '"likes_count":%d+', '"likes_count":' .. count, 1)))
emit('SREM', key.praises(who), id)
