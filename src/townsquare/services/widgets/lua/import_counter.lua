--[[
  Replace everything that was counted. Today's visitors stay counted. There is one day for each day that
  the counter has lived or that an import gave it, so reading all of them is bounded.

  Keys:    counter(id), counter_total(id), counter_owner(id), counter_days(id), counter_daily(id, *)
  Input:   id string, owner string, total integer, daily json
  Errors:  widget_not_found, wrong_token
  Include: living
]]
local record = living(key.counter(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.counter_owner(id)) ~= owner then return refuse('wrong_token') end

for _, day in ipairs(redis.call('SMEMBERS', key.counter_days(id))) do
  redis.call('DEL', key.counter_daily(id, day))
end
redis.call('DEL', key.counter_days(id))
for day, count in pairs(daily) do
  redis.call('SADD', key.counter_days(id), day)
  redis.call('SET', key.counter_daily(id, day), string.format('%.0f', count))
end
record.totalCount = total
redis.call('SET', key.counter_total(id), string.format('%.0f', total))
redis.call('SET', key.counter(id), cjson.encode(record))
