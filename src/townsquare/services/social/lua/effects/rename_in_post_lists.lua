--[[
  Replace the name of a user who liked, bookmarked or reported this post (`theirs`); then the post goes to the list of
  the renamed user that is its inverse (`mine`).

  Keys:    post_likes(id), post_bookmarks(id), post_reports(id), post_reasons(id)
  Runs:    add_to_renamed_user
  Input:   id string, old string, new string, theirs string, mine string, at integer
]]
if theirs == 'post_reports' then
  if redis.call('ZREM', key.post_reports(id), old) == 0 then return end
  redis.call('ZADD', key.post_reports(id), at, new)
  redis.call('HSET', key.post_reasons(id), new, redis.call('HGET', key.post_reasons(id), old) or '')
  redis.call('HDEL', key.post_reasons(id), old)
else
  if redis.call('SREM', key[theirs](id), old) == 0 then return end
  redis.call('SADD', key[theirs](id), new)
end
run.add_to_renamed_user(new, mine, id, at)
