--[[
  A ban is carried to the comments up to `reached`, or with none to all. If a moderator has acted since the step
  began, its mark is gone and the next one starts from the first comment.

  Keys:    site_open_bans(site_id)
  Input:   site_id string, user_id string, job string, mark string, reached string?
  Include: jobs
]]
local open = key.site_open_bans(site_id)
local text = redis.call('HGET', open, user_id)
local work = text and cjson.decode(text)
if not work or work.job ~= job then return finish_job(job) end
if work.mark ~= mark then return end
if reached then
  work.reached = reached
  redis.call('HSET', open, user_id, cjson.encode(work))
else
  redis.call('HDEL', open, user_id)
  finish_job(job)
end
