--[[
  Delete a user with its indexes, sessions and codes.

  Keys:    user(id)
  Effects: verify(*), verify_reset(*)
  Deletes: user(id)
  Input:   id string, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
  Errors:  user_not_found
  Include: end_sessions
]]
local text = redis.call('GET', key.user(id))
if begin and not text then return refuse('user_not_found') end
local user = text and cjson.decode(text)
if user and (begin or user.deleting == job) then
  end_sessions(id)
  for _, target in ipairs({user.email or cjson.null, user.phone or cjson.null}) do
    if target ~= cjson.null then
      emit('DEL', key.verify(target))
      emit('DEL', key.verify_reset(target))
    end
  end
end
return {delete_user(id, job, begin, chunk, now)}
