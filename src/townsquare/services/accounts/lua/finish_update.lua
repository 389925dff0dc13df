--[[
  End the update job of a user if all services have this version of the user.

  Keys:    user(id), user_update(id)
  Input:   id string, job string, version integer
  Output:  finished boolean
  Include: jobs, known_name
]]
local update = key.user_update(id)
local open, again = unpack(redis.call('HMGET', update, 'job', 'again'))
if open == job then
  local text = redis.call('GET', key.user(id))
  if text and cjson.decode(text).version ~= version then return 0 end
  redis.call('DEL', update)
  if again then
    redis.call('HSET', update, 'job', job, 'known', text and known_name(text) or 'null')
    return 0
  end
end
finish_job(job)
return 1
