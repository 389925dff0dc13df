--[[
  Close the old name of a user for writes. Until the profile is open under the new name, the user can act under
  neither; readers see what is still under the old one.

  Keys:    user(username), home_feed(username), home_state(username)
  Deletes: user(username)
  Effects: users_names(), big_authors()
  Runs:    set_rename_total
  Input:   username string, new string, job string
  Errors:  profile_not_found, user_moving
  Include: role_lists
]]
local name = key.user(username)
local role, deleting, arriving, moving_to = unpack(redis.call('HMGET', name, 'role', 'deleting', 'arriving', 'moving_to'))
if arriving or (moving_to and deleting ~= job) then return refuse('user_moving') end
if not role or (deleting and deleting ~= job) then return refuse('profile_not_found') end

if not deleting then
  redis.call('HSET', name, 'deleting', job, 'moving_to', new)
  redis.call('DEL', key.home_feed(username), key.home_state(username))
  remove_from_role_list(username, role)
  emit('ZREM', key.users_names(), username)
  emit('ZREM', key.big_authors(), username)
end
run.set_rename_total(new, job, count_user_members(username))
