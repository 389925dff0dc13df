--[[
  End the merge on the page that remains, and add the views of the other page. Idempotent.

  Keys:    page(page_id), page_views(page_id), page_views_daily(page_id, *)
  Input:   page_id string, job string, views integer, daily json
  Include: publish
]]
if redis.call('HGET', key.page(page_id), 'receives') ~= job then return end
redis.call('HDEL', key.page(page_id), 'receives')
if views > 0 then redis.call('INCRBY', key.page_views(page_id), views) end
for place = 1, #daily, 2 do
  local day, count = daily[place], daily[place + 1]
  local name = key.page_views_daily(page_id, day)
  redis.call('INCRBY', name, count)
  if redis.call('TTL', name) == -1 then redis.call('EXPIRE', name, lifetime.page_views_daily) end
end
publish(page_id, 'reload', '')
