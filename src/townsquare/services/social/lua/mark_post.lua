--[[
  Like or bookmark a post.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Asks:    note_mark (profile_not_found, post_not_found)
  Input:   id string, username string, kind string, now integer
  Output:  changed boolean, count integer
  Errors:  post_not_found, post_banned
  Include: score, post_record, recount_post, marks
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.banned then return refuse('post_banned') end
local marks = marks_of(id, kind)
if redis.call('SISMEMBER', marks, username) == 1 then return {0, redis.call('SCARD', marks)} end

local refusal = ask.note_mark(username, id, post.author, kind, now)
if refusal then return refusal end
redis.call('SADD', marks, username)
local likes, bookmarks = recount_post(id, post, now)
return {1, kind == 'like' and likes or bookmarks}
