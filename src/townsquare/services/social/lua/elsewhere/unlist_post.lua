--[[
  A post is banned or deleted: its author's side.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username)
  Input:   username string, id string, created_at integer, banned boolean
  Output:  nothing
  Include: engagement, listing
]]
unlist(username, id, created_at, banned)
refresh_from_the_start(username)
