--[[
  End the merge of a page, when all its comments have moved. Only the pointer to the other page remains.

  Keys:    page(page_id), page_all(page_id), page_followers(page_id), page_views(page_id),
           page_views_daily(page_id, *), page_mailing(page_id), page_mail(page_id)
  Effects: site_pages(*)
  Runs:    end_receiving
  Input:   page_id string, into_id string, job string, days [string]
  Include: jobs, publish
]]
local site_id, merging = unpack(redis.call('HMGET', key.page(page_id), 'site_id', 'merging'))
if merging ~= job then return finish_job(job) end
if redis.call('ZCARD', key.page_all(page_id)) > 0 or redis.call('SCARD', key.page_followers(page_id)) > 0 then return end
local views, daily = tonumber(redis.call('GET', key.page_views(page_id)) or 0), {}
for _, day in ipairs(days) do
  local count = redis.call('GET', key.page_views_daily(page_id, day))
  if count then daily[#daily + 1], daily[#daily + 2] = day, tonumber(count) end
  redis.call('DEL', key.page_views_daily(page_id, day))
end
local mailing = redis.call('HGET', key.page_mailing(page_id), 'job')
if mailing then finish_job(mailing) end
redis.call('DEL', key.page(page_id), key.page_views(page_id), key.page_mailing(page_id), key.page_mail(page_id))
emit('ZREM', key.site_pages(site_id), page_id)
run.end_receiving(into_id, job, views, daily)
publish(page_id, 'reload', '')
finish_job(job)
