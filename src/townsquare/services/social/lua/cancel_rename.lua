--[[
  Nobody is coming: give a reserved name back.

  Keys:    user(username)
  Input:   username string, job string
  Output:  nothing
  Include: jobs
]]
local deleting, arriving = unpack(redis.call('HMGET', key.user(username), 'deleting', 'arriving'))
if deleting == job and arriving == job then redis.call('DEL', key.user(username)) end
finish_job(job)
