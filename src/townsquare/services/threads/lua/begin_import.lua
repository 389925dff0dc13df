--[[
  Begin an import into a site. Refused while another import runs.

  Keys:    site(site_id), site_import(site_id)
  Input:   site_id string, state string, now integer
  Errors:  site_not_found, import_running
  Include: deadlines
]]
if redis.call('EXISTS', key.site(site_id)) == 0 then return refuse('site_not_found') end
local text = redis.call('GET', key.site_import(site_id))
local before = text and cjson.decode(text)
if before and before.state == 'running' and ms_left(before.updated_ms, now, const.IMPORT_ALIVE_MS) > 0 then
  return refuse('import_running')
end
redis.call('SET', key.site_import(site_id), state, 'EX', lifetime.site_import)
