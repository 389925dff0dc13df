--[[
  A post is banned or deleted: its author's side.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username)
  Input:   username string, id string, created_at integer, banned boolean
  Include: engagement, author_posts
]]
remove_author_post(username, id, created_at, banned)
restart_refresh(username)
