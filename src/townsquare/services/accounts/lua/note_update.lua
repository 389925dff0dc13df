--[[
  Record the progress of a service with a user's changes, if it still equals `before`.

  Keys:   user_update(id)
  Input:  id string, job string, field string, before string, after string
  Output: changed boolean
]]
local update = key.user_update(id)
if redis.call('HGET', update, 'job') ~= job or (redis.call('HGET', update, field) or '') ~= before then return 0 end
redis.call('HSET', update, field, after)
return 1
