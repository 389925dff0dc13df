--[[
  The figures of a counter, without counting.

  Keys:    counter(id), counter_total(id), counter_daily(id, *)
  Input:   id string, days json
  Output:  counted boolean, timezone string, url string, total integer, last_visit string?, today integer,
           yesterday integer, week integer, month integer, webhook string?
  Errors:  widget_not_found
  Include: active_widget, counter_view
]]
local record = active_widget(key.counter(id))
if not record then return refuse('widget_not_found') end
return {0, unpack(counter_view(record, days))}
