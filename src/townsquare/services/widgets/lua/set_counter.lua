--[[
  Set the total; today's and earlier days stay. `owner` is the hash that the caller has verified.

  Keys:    counter(id), counter_total(id), counter_owner(id)
  Input:   id string, owner string, total integer
  Errors:  widget_not_found, wrong_token
  Include: active_widget
]]
local record = active_widget(key.counter(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.counter_owner(id)) ~= owner then return refuse('wrong_token') end

record.totalCount = total
redis.call('SET', key.counter_total(id), string.format('%.0f', total))
redis.call('SET', key.counter(id), cjson.encode(record))
