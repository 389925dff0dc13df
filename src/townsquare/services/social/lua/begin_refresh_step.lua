--[[
  Begin a step of a refresh: what to copy into posts, and how far the job has come. `refreshed_to` gets a mark of
  this step. A change of the profile or of the author's list removes the mark, and the step then does not count.

  Keys:    user(username)
  Input:   username string, job string, mark string
  Output:  reached string, role string?, display_name string?, avatar string?; nothing if this job does not run
]]
local name = key.user(username)
local running, at, role, display_name, avatar = unpack(redis.call('HMGET', name, 'refreshing', 'refreshed_to', 'role',
  'display_name', 'avatar'))
if running ~= job or not role then return {'', false, false, false} end
local reached = string.gsub(at or '', '@.*$', '')
redis.call('HSET', name, 'refreshed_to', reached .. '@' .. mark)
return {reached, role, display_name, avatar}
