--[[
  Replace the name of a user who liked, bookmarked or reported this post.

  Keys:    post_likes(id), post_bookmarks(id), post_reports(id), post_reasons(id)
  Runs:    add_to_renamed_user
  Input:   id string, username string, new string, kind string, at integer
  Output:  nothing
  Include: marks
]]
if kind == 'report' then
  if redis.call('ZREM', key.post_reports(id), username) == 0 then return end
  redis.call('ZADD', key.post_reports(id), at, new)
  redis.call('HSET', key.post_reasons(id), new, redis.call('HGET', key.post_reasons(id), username) or '')
  redis.call('HDEL', key.post_reasons(id), username)
else
  if redis.call('SREM', marks_of(id, kind), username) == 0 then return end
  redis.call('SADD', marks_of(id, kind), new)
end
run.add_to_renamed_user(new, kind, id, at)
