--[[
  Make a widget for a URL, or find the one that it has. The caller offers an id; if the widget of another
  URL has it, nothing is made and the caller offers one with more digits. All of them share one home.

  Keys:    counter_url(url), like_url(url), ranking_url(url), bbs_url(url), counter_total(*), like_total(*),
           ranking_meta(*)
  Input:   kind string, url string, id string, record string, owner string, meta string?, now integer
  Output:  outcome string (made, known, clash), id string, owner string
  Errors:  widget_being_deleted
  Include: active_widget, widget_keys, idempotency
]]
local known = redis.call('GET', key[kind .. '_url'](url))
if known then
  if not active_widget(key[kind](known)) then return refuse('widget_being_deleted') end
  return {'known', known, redis.call('GET', key[kind .. '_owner'](known))}
end
if redis.call('EXISTS', key[kind](id)) == 1 then return {'clash', id, ''} end

redis.call('SET', key[kind .. '_url'](url), id)
redis.call('SET', key[kind](id), record)
redis.call('SET', key[kind .. '_owner'](id), owner)
if kind == 'counter' then redis.call('SET', key.counter_total(id), 0) end
if kind == 'like' then redis.call('SET', key.like_total(id), 0) end
if meta then redis.call('SET', key.ranking_meta(id), meta) end
emit('ZADD', key[kind .. 's_index'](), now, id)
if key[kind .. 's_ids'] then emit('ZADD', key[kind .. 's_ids'](), 0, id) end
remember_result(id)
return {'made', id, owner}
