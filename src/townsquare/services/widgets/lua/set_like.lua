--[[
  Set the total, the icon, or both. Today's likes stay.

  Keys:    like(id), like_total(id), like_owner(id)
  Input:   id string, owner string, total integer?, icon string?
  Errors:  widget_not_found, wrong_token
  Include: active_widget
]]
local record = active_widget(key.like(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.like_owner(id)) ~= owner then return refuse('wrong_token') end

if total then
  record.totalLikes = total
  redis.call('SET', key.like_total(id), string.format('%.0f', total))
end
if icon then record.icon = icon end
redis.call('SET', key.like(id), cjson.encode(record))
