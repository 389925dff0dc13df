--[[
  Set or remove the webhook URL of a widget.

  Keys:    counter(id), like(id), ranking(id), bbs(id)
  Input:   kind string, id string, owner string, webhook string?
  Errors:  widget_not_found, wrong_token
  Include: active_widget, widget_keys
]]
local record = active_widget(key[kind](id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key[kind .. '_owner'](id)) ~= owner then return refuse('wrong_token') end

record.webhook = webhook or cjson.null
redis.call('SET', key[kind](id), cjson.encode(record))
