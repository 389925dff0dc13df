--[[
  Start a job that changes a prefix of the URLs of all pages of a site.

  Keys:    site(site_id), site_moves(site_id)
  Runs:    log_action
  Input:   site_id string, old string, new string, job string, entry string, now integer
  Errors:  site_not_found
  Include: jobs
]]
if redis.call('EXISTS', key.site(site_id)) == 0 then return refuse('site_not_found') end
redis.call('HSET', key.site_moves(site_id), job, '')
start_job(job, const.MOVE_PAGES_JOB, {site_id = site_id, old = old, new = new, job = job}, now)
run.log_action(site_id, entry, now)
