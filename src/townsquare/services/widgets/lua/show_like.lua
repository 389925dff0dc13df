--[[
  A like button as one visitor sees it.

  Keys:    like(id), like_total(id), like_user(id, visitor)
  Input:   id string, visitor string
  Output:  timezone string, url string, total integer, liked boolean, icon string, last_like string?, webhook string?
  Errors:  widget_not_found
  Include: active_widget, like_view
]]
local record = active_widget(key.like(id))
if not record then return refuse('widget_not_found') end
return like_view(record, redis.call('GET', key.like_user(id, visitor)) == 'true')
