--[[
  Remove a user with everything that leads to it, and finish the job that did it, if one did.

  Keys:    user(id)
  Effects: verify(*)
  Input:   id string, job string?
  Output:  removed boolean
  Include: user_indexes, end_sessions, jobs
]]
local text = redis.call('GET', key.user(id))
if text then
  local user = cjson.decode(text)
  redis.call('DEL', key.user(id))
  end_sessions(id)
  place(id, user, nil, 0)
  if given(user.email) then emit('DEL', key.verify(user.email)) end
  if given(user.phone) then emit('DEL', key.verify(user.phone)) end
end
if job then finish_job(job) end
return text and 1 or 0
