--[[
  Delete a post with everything of its own, at most `chunk` likes, bookmarks and reports at a time. It is
  gone for everybody at once; what is left is a job.

  Keys:    post(id), post_likes(id), post_bookmarks(id), post_reports(id), post_reasons(id)
  Effects: liked(*), bookmarked(*), reported(*), moderated(*)
  Input:   id string, username string?, chunk integer, job string, now integer
  Output:  removed integer, job string
  Errors:  post_not_found, not_yours
  Include: post_record, post_visibility, jobs
]]
local begun, moderator = unpack(redis.call('HMGET', key.post(id), 'deleting', 'banned_by'))
local post = read_post(id)
if not post and (job ~= '' or not begun) then return refuse('post_not_found') end
if username and post.author ~= username then return refuse('not_yours') end

if post then
  hide_post(id, post, false, now)
  if moderator then emit('ZREM', key.moderated(moderator), id) end
end

local removed, left = 0, false
local function forget(members, mark)
  for _, member in ipairs(members) do emit('ZREM', mark(member), id) end
  removed = removed + #members
  left = left or #members == chunk
end
forget(redis.call('SPOP', key.post_likes(id), chunk), key.liked)
forget(redis.call('SPOP', key.post_bookmarks(id), chunk), key.bookmarked)
local reporters = redis.call('ZRANGE', key.post_reports(id), 0, chunk - 1)
redis.call('ZREMRANGEBYRANK', key.post_reports(id), 0, chunk - 1)
forget(reporters, key.reported)

if left then
  if not begun then
    redis.call('HSET', key.post(id), 'deleting', job)
    start_job(job, const.DELETE_POST_JOB, {id = id}, now)
  end
  return {removed, begun or job}
end
redis.call('DEL', key.post(id), key.post_likes(id), key.post_bookmarks(id), key.post_reports(id), key.post_reasons(id))
if begun then finish_job(begun) end
return {removed, ''}
