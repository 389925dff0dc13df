--[[
  Replace the owner's token. `owner` is the hash that the caller has verified, `replaced` the new one.

  Keys:    counter(id), like(id), ranking(id), bbs(id)
  Input:   kind string, id string, owner string, replaced string
  Errors:  widget_not_found, wrong_token
  Include: active_widget, widget_keys
]]
local record = active_widget(record_of[kind](id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', owner_of[kind](id)) ~= owner then return refuse('wrong_token') end

record.owner = replaced
redis.call('SET', owner_of[kind](id), replaced)
redis.call('SET', record_of[kind](id), cjson.encode(record))
