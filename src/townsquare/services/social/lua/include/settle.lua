--[[
  settle(id, post, now): the counters of a post as its sets are, and if it is shown, everything that is
  ordered by them. Answers how many likes and bookmarks there are.

  weight_now(id, post): the weight of a post as its sets are.

  Keys:    post(*), post_likes(*), post_bookmarks(*)
  Runs:    tag_post, weigh_post
  Include: score, post_record
]]
local function weight_now(id, post)
  return weight_of(redis.call('SCARD', key.post_likes(id)), post.comments, redis.call('SCARD', key.post_bookmarks(id)))
end

local function settle(id, post, now)
  local likes, bookmarks = redis.call('SCARD', key.post_likes(id)), redis.call('SCARD', key.post_bookmarks(id))
  redis.call('HSET', key.post(id), 'likesCount', likes, 'bookmarksCount', bookmarks)
  if post.banned then return likes, bookmarks end
  local weight = weight_of(likes, post.comments, bookmarks)
  for tag in tags_of(post) do run.tag_post(tag, id, post.created_at, weight, now) end
  run.weigh_post(post.author, id, weight)
  return likes, bookmarks
end
