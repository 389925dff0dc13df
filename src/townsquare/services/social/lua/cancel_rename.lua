--[[
  Free a reserved name: there is nobody to rename, or it was not allowed.

  Keys:    user(username)
  Input:   username string, job string
  Include: jobs
]]
local deleting, arriving = unpack(redis.call('HMGET', key.user(username), 'deleting', 'arriving'))
if deleting == job and arriving == job then redis.call('DEL', key.user(username)) end
finish_job(job)
