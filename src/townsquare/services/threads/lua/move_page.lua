--[[
  Change the URL of a page. The old URL still works. A job updates the comments.

  Keys:    page(page_id)
  Asks:    lead_to_page (page_taken)
  Runs:    log_action
  Input:   page_id string, site_id string, new_id string, url string, job string, entry string, now integer
  Output:  job string
  Errors:  page_not_found
  Include: jobs
]]
local of_site, deleting, moving, before = unpack(redis.call('HMGET', key.page(page_id), 'site_id', 'deleting',
  'moving', 'url'))
if of_site ~= site_id or deleting then return refuse('page_not_found') end
if new_id ~= page_id then
  local refusal = ask.lead_to_page(new_id, page_id, before)
  if refusal then return refusal end
end
redis.call('HSET', key.page(page_id), 'url', url, 'moving', moving or job, 'moved_to', '')
if not moving then start_job(job, const.MOVE_PAGE_JOB, {page_id = page_id, job = job}, now) end
run.log_action(site_id, entry, now)
return moving or job
