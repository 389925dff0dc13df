--[[
  Count one view of a page, once per visitor and half an hour.

  Keys:   page_viewed(page_id, visitor), page_views(page_id), page_views_daily(page_id, day)
  Input:  page_id string, visitor string, day string
  Output: counted boolean, total integer
]]
local views = key.page_views(page_id)
if not redis.call('SET', key.page_viewed(page_id, visitor), '1', 'NX', 'EX', lifetime.page_viewed) then
  return {0, tonumber(redis.call('GET', views) or 0)}
end
local today = key.page_views_daily(page_id, day)
if redis.call('INCR', today) == 1 then redis.call('EXPIRE', today, lifetime.page_views_daily) end
return {1, redis.call('INCR', views)}
