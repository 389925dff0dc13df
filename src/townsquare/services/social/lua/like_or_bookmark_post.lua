--[[
  Like or bookmark a post.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Asks:    add_like_bookmark_or_report (profile_not_found, post_not_found)
  Runs:    notify_user
  Input:   id string, username string, kind string, now integer
  Output:  changed boolean, count integer
  Errors:  post_not_found, post_banned
  Include: score, post_record, recount_post, likes_or_bookmarks
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.banned then return refuse('post_banned') end
local users = likes_or_bookmarks(id, kind)
if redis.call('SISMEMBER', users, username) == 1 then return {0, redis.call('SCARD', users)} end

local refusal = ask.add_like_bookmark_or_report(username, id, post.author, kind, now)
if refusal then return refusal end
redis.call('SADD', users, username)
local likes, bookmarks = recount_post(id, post, now)
if kind == 'like' then run.notify_user(post.author, 'like ' .. id, username, now) end
return {1, kind == 'like' and likes or bookmarks}
