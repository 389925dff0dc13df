--[[
  Set the total and, if they are given, replace the counts of all days. Today's visitors stay counted. `owner` is
  the hash that the caller has verified.

  Keys:    counter(id), counter_total(id), counter_owner(id), counter_days(id), counter_daily(id, *)
  Input:   id string, owner string, total integer, daily string?
  Errors:  widget_not_found, wrong_token
  Include: active_widget
]]
local STEP = 500

local record = active_widget(key.counter(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.counter_owner(id)) ~= owner then return refuse('wrong_token') end

if daily then
  for _ = 1, redis.call('SCARD', key.counter_days(id)), STEP do
    for _, day in ipairs(redis.call('SPOP', key.counter_days(id), STEP)) do
      redis.call('DEL', key.counter_daily(id, day))
    end
  end
  for day, count in pairs(cjson.decode(daily)) do
    redis.call('SADD', key.counter_days(id), day)
    redis.call('SET', key.counter_daily(id, day), string.format('%.0f', count))
  end
end
record.totalCount = total
redis.call('SET', key.counter_total(id), string.format('%.0f', total))
redis.call('SET', key.counter(id), cjson.encode(record))
