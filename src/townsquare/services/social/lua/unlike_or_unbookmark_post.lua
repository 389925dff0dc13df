--[[
  Remove a like or a bookmark, also from a banned post.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Effects: liked(username), bookmarked(username)
  Runs:    retract_notice
  Input:   id string, username string, kind string, now integer
  Output:  changed boolean, count integer
  Errors:  post_not_found
  Include: score, post_record, recount_post, likes_or_bookmarks
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
local users = likes_or_bookmarks(id, kind)
local changed = redis.call('SREM', users, username)
if changed == 1 then
  local likes = recount_post(id, post, now)
  if likes == 0 then run.retract_notice(post.author, 'like ' .. id) end
  emit('ZREM', kind == 'like' and key.liked(username) or key.bookmarked(username), id)
end
return {changed, redis.call('SCARD', users)}
