--[[
  Delete a widget with everything of its own. Until all is gone, the widget is gone for everybody and its URL is
  not free: a new one of that URL would have the same id.

  Keys:    counter(id), like(id), ranking(id), bbs(id)
  Deletes: counter(id), like(id), ranking(id), bbs(id) but places
  Input:   kind string, id string, owner string?, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
  Errors:  widget_not_found, wrong_token
  Include: widget_keys
]]
local delete = {counter = delete_counter, like = delete_like, ranking = delete_ranking, bbs = delete_bbs}
local text = redis.call('GET', key[kind](id))
if begin and not text then return refuse('widget_not_found') end
if owner and redis.call('GET', key[kind .. '_owner'](id)) ~= owner then return refuse('wrong_token') end

local taken, open = delete[kind](id, job, begin, chunk, now)
if text and redis.call('EXISTS', key[kind](id)) == 0 then
  redis.call('DEL', key[kind .. '_url'](cjson.decode(text).url))
  emit('ZREM', key[kind .. 's_index'](), id)
end
return {taken, open}
