--[[
  End a step of the job that applies a ban: done up to `reached`, or without it completely. If a moderator has changed
  the ban since the step began, its mark is gone and the next step starts from the first comment.

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
