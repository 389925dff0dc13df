--[[
  Begin to delete a user: hidden from everybody at once; a job removes the rest. If one runs already, it is
  that one.

  Keys:    user(username), user_posts(username), banned_posts(username), liked(username), bookmarked(username),
           followers_since(username), following_since(username), home_feed(username), home_state(username)
  Effects: users_names(), big_authors()
  Input:   username string, job string, now integer
  Output:  job string
  Errors:  profile_not_found, user_moving
  Include: role_lists, jobs
]]
local name = key.user(username)
local role, deleting, moving_to, arriving = unpack(redis.call('HMGET', name, 'role', 'deleting', 'moving_to', 'arriving'))
if not role then return refuse('profile_not_found') end
if moving_to or arriving then return refuse('user_moving') end
if deleting then return deleting end

redis.call('HSET', name, 'deleting', job)
redis.call('DEL', key.home_feed(username), key.home_state(username))
remove_from_role_list(username, role)
emit('ZREM', key.users_names(), username)
emit('ZREM', key.big_authors(), username)

local total = 0
for _, collection in ipairs({'user_posts', 'banned_posts', 'liked', 'bookmarked', 'followers_since', 'following_since'}) do
  total = total + redis.call('ZCARD', key[collection](username))
end
start_job(job, const.DELETE_USER_JOB, {username = username, job = job}, now)
redis.call('HSET', key.job(job), 'total', total)
return job
