--[[
  Delete a user: gone for everybody at once, and a job takes back what is left with others. Who is being
  deleted already goes on so; who is on the way to another name cannot be deleted.

  Keys:    user(username)
  Deletes: user(username)
  Input:   username string, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
  Errors:  profile_not_found, user_moving
]]
if begin then
  local role, moving_to, arriving = unpack(redis.call('HMGET', key.user(username), 'role', 'moving_to', 'arriving'))
  if not role then return refuse('profile_not_found') end
  if moving_to or arriving then return refuse('user_moving') end
end
return {delete_user(username, job, begin, chunk, now)}
