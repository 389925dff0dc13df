--[[
  Change fields of a profile; `set` are names and values in turn, `removed` are names. What posts copy of
  it is brought to them by a job. A job that runs already begins again, because `refreshed_to` is no longer
  what its step has put there.

  Keys:    user(username), user_posts(username), banned_posts(username)
  Input:   username string, set [string], removed [string], role string?, job string, now integer
  Output:  job string, posts integer
  Errors:  profile_not_found, bad_profile_field
  Include: active_user, role_lists, jobs, field_limit
]]
local COPIED = {'display_name', 'avatar', 'role'}

if not active_user(username) then return refuse('profile_not_found') end
local name = key.user(username)
local before = redis.call('HMGET', name, unpack(COPIED))
if not within_field_limit(name, set, removed) then
  return refuse('bad_profile_field', 'A profile has at most ' .. const.FIELDS .. ' fields')
end

for place = 1, #set, 2 do redis.call('HSET', name, set[place], set[place + 1]) end
for _, field in ipairs(removed) do redis.call('HDEL', name, field) end
if role and role ~= before[3] then
  redis.call('HSET', name, 'role', role)
  local created_at, engagement = unpack(redis.call('HMGET', name, 'created_at', 'engagement'))
  remove_from_role_list(username, before[3])
  add_to_role_list(username, role, created_at, engagement or 0)
end

local posts = redis.call('ZCARD', key.user_posts(username)) + redis.call('ZCARD', key.banned_posts(username))
local copied = false
for place, value in ipairs(redis.call('HMGET', name, unpack(COPIED))) do
  if value ~= before[place] then copied = true end
end
if not copied or posts == 0 then return {'', posts} end

local running = redis.call('HGET', name, 'refreshing')
redis.call('HSET', name, 'refreshed_to', '')
if not running then
  redis.call('HSET', name, 'refreshing', job)
  start_job(job, const.REFRESH_POSTS_JOB, {username = username, job = job}, now)
end
return {running or job, posts}
