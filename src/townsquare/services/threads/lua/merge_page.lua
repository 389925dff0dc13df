--[[
  Merge a page into another one. Its URL leads there from now on. A job moves its comments.

  Keys:    page(page_id), page_moved(page_id)
  Asks:    accept_merge (page_not_found, page_merging)
  Runs:    log_action
  Input:   page_id string, site_id string, into_id string, job string, entry string, now integer
  Output:  job string
  Errors:  page_not_found, page_merging
  Include: jobs
]]
local of_site, deleting, merging, receives, post_id = unpack(redis.call('HMGET', key.page(page_id), 'site_id',
  'deleting', 'merging', 'receives', 'post_id'))
if of_site ~= site_id or deleting or post_id then return refuse('page_not_found') end
if merging and redis.call('GET', key.page_moved(page_id)) == into_id then return merging end
if merging or receives then return refuse('page_merging') end
local refusal = ask.accept_merge(into_id, page_id, site_id, job)
if refusal then return refusal end
redis.call('HSET', key.page(page_id), 'merging', job)
redis.call('SET', key.page_moved(page_id), into_id)
start_job(job, const.MERGE_PAGE_JOB, {page_id = page_id, into_id = into_id, job = job}, now)
run.log_action(site_id, entry, now)
return job
