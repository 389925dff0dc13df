--[[
  Make other services apply a user again. `found` is a username that one of them still has for the user.

  Keys:    user(id), user_update(id)
  Input:   id string, found string, job string, now integer
  Output:  job string
  Errors:  user_not_found
  Include: open_update
]]
if redis.call('EXISTS', key.user(id)) == 0 then return refuse('user_not_found') end
if redis.call('EXISTS', key.user_update(id)) == 1 then redis.call('HSET', key.user_update(id), 'again', 1) end
local known = found ~= '' and cjson.encode({id = id, username = found}) or 'null'
return open_update(id, job, known, '', now)
