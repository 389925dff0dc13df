--[[
  Delete a user: invisible at once; a job removes the entries in lists of other users. A deletion that is
  in progress continues. A user who is being renamed cannot be deleted.

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
