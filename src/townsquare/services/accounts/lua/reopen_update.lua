--[[
  Make other services apply a user again. `found` is a username that one of them still has for the user.

  Keys:    user(id), user_update(id)
  Input:   id string, found string, job string, now integer
  Output:  job string
  Errors:  user_not_found
  Include: open_update, known_name
]]
local text = redis.call('GET', key.user(id))
if not text then return refuse('user_not_found') end
if redis.call('EXISTS', key.user_update(id)) == 1 then redis.call('HSET', key.user_update(id), 'again', 1) end
local known = found ~= '' and cjson.encode({id = id, username = found}) or known_name(text)
return open_update(id, job, known, '', now)
