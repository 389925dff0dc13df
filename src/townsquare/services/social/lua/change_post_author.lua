--[[
  Move a post to the new name of its author.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Runs:    list_post, unlist_post
  Input:   id string, username string, new string, now integer
  Include: score, post_record, recount_post
]]
local post = read_post(id)
if not post or post.author ~= username then
  run.unlist_post(username, id, 0, false)
  return
end
redis.call('HSET', key.post(id), 'user_id', new, 'username', new)
run.unlist_post(username, id, post.created_at, false)
if post.banned then
  run.unlist_post(new, id, post.created_at, true)
else
  run.list_post(new, id, post.created_at, current_weight(id, post), now)
end
