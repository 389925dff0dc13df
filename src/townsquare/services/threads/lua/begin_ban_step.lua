--[[
  Begin a step of the job that applies a ban: whether comments are hidden or removed, and how far the job is.

  Keys:    site_open_bans(site_id), site_shadowbanned(site_id)
  Input:   site_id string, user_id string, job string, mark string
  Output:  found boolean, shadowed boolean, remove boolean, reached string
]]
local text = redis.call('HGET', key.site_open_bans(site_id), user_id)
local work = text and cjson.decode(text)
if not work or work.job ~= job then return {0, 0, 0, ''} end
work.mark = mark
redis.call('HSET', key.site_open_bans(site_id), user_id, cjson.encode(work))
return {1, redis.call('SISMEMBER', key.site_shadowbanned(site_id), user_id), work.remove and 1 or 0, work.reached}
