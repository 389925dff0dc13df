--[[
  Replace everything that was counted. Today's visitors stay counted.

  Keys:    counter(id), counter_total(id), counter_owner(id), counter_days(id), counter_daily(id, *)
  Input:   id string, owner string, total integer, daily json
  Errors:  widget_not_found, wrong_token
  Include: active_widget
]]
local STEP = 500

local record = active_widget(key.counter(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.counter_owner(id)) ~= owner then return refuse('wrong_token') end

local before = redis.call('SPOP', key.counter_days(id), STEP)
while #before > 0 do
  for _, day in ipairs(before) do redis.call('DEL', key.counter_daily(id, day)) end
  before = redis.call('SPOP', key.counter_days(id), STEP)
end
for day, count in pairs(daily) do
  redis.call('SADD', key.counter_days(id), day)
  redis.call('SET', key.counter_daily(id, day), string.format('%.0f', count))
end
record.totalCount = total
redis.call('SET', key.counter_total(id), string.format('%.0f', total))
redis.call('SET', key.counter(id), cjson.encode(record))
