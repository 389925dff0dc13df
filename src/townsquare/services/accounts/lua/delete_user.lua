--[[
  Remove a user with everything that leads to it.

  Keys:    user(id)
  Effects: verify(*)
  Deletes: user(id) but places
  Input:   id string, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
  Errors:  user_not_found
  Include: user_indexes, end_sessions
]]
local text = redis.call('GET', key.user(id))
if begin and not text then return refuse('user_not_found') end
local user = text and cjson.decode(text)
if user and (begin or user.deleting == job) then
  end_sessions(id)
  place(id, user, nil, 0)
  if given(user.email) then emit('DEL', key.verify(user.email)) end
  if given(user.phone) then emit('DEL', key.verify(user.phone)) end
end
return {delete_user(id, job, begin, chunk, now)}
