--[[
  recount_post(id, post, now): the counters of a post as its sets are, and if it is shown, everything that is
  ordered by them. Answers how many likes and bookmarks there are.

  current_weight(id, post): the weight of a post as its sets are.

  Keys:    post(*), post_likes(*), post_bookmarks(*)
  Runs:    tag_post, set_post_engagement
  Include: score, post_record
]]
local function current_weight(id, post)
  return weight_of(redis.call('SCARD', key.post_likes(id)), post.comments, redis.call('SCARD', key.post_bookmarks(id)))
end

local function recount_post(id, post, now)
  local likes, bookmarks = redis.call('SCARD', key.post_likes(id)), redis.call('SCARD', key.post_bookmarks(id))
  redis.call('HSET', key.post(id), 'likesCount', likes, 'bookmarksCount', bookmarks)
  if post.banned then return likes, bookmarks end
  local weight = weight_of(likes, post.comments, bookmarks)
  for tag in tags_of(post) do run.tag_post(tag, id, post.created_at, weight, now) end
  run.set_post_engagement(post.author, id, weight)
  return likes, bookmarks
end
