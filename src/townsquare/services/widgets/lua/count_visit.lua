--[[
  Count one visit, once per visitor and day. `days` are today and the days before it in the time zone
  that the caller believes the counter to be in; if it is in another, nothing is counted.

  Keys:    counter(id), counter_total(id), counter_visit(id, visitor), counter_visitors(id), counter_days(id),
           counter_daily(id, *)
  Input:   id string, visitor string, timezone string, days json, now string, ttl integer
  Output:  counted boolean, timezone string, url string, total integer, last_visit string?, today integer,
           yesterday integer, week integer, month integer, webhook string?
  Errors:  widget_not_found
  Include: active_widget, counter_view
]]
local record = active_widget(key.counter(id))
if not record then return refuse('widget_not_found') end

local counted = 0
if record.timezone == timezone and redis.call('SET', key.counter_visit(id, visitor), now, 'NX', 'PX', ttl) then
  counted = 1
  redis.call('SADD', key.counter_visitors(id), visitor)
  redis.call('PEXPIRE', key.counter_visitors(id), ttl)
  redis.call('SADD', key.counter_days(id), days[1])
  redis.call('INCR', key.counter_daily(id, days[1]))
  record.totalCount = redis.call('INCR', key.counter_total(id))
  record.lastVisit = now
  redis.call('SET', key.counter(id), cjson.encode(record))
end
return {counted, unpack(counter_view(record, days))}
