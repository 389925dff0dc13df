--[[
  The counts of some days, in the time zone that the caller believes the counter to be in.

  Keys:    counter(id), counter_total(id), counter_daily(id, *)
  Input:   id string, days json
  Output:  timezone string, url string, total integer, counts [integer]
  Errors:  widget_not_found
  Include: active_widget, counter_view
]]
local record = active_widget(key.counter(id))
if not record then return refuse('widget_not_found') end
return {record.timezone, record.url, total_of(id), counts_of(id, days)}
