--[[
  A post is shown again: its author's side. Does nothing if the author is being deleted: the post stays in banned_posts.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username)
  Input:   username string, id string, created_at integer, weight integer, now integer
  Include: active_user, engagement, author_posts
]]
if not active_user(username) then return end
redis.call('ZREM', key.banned_posts(username), id)
add_author_post(username, id, created_at, weight, now)
restart_refresh(username)
