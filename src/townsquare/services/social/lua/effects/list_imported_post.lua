--[[
  The author's side of a post that was written elsewhere. Refused if the author is deleted.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username)
  Refused: drop_imported_post(id, now)
  Input:   username string, id string, created_at integer, now integer
  Errors:  profile_not_found
  Include: active_user, engagement, author_posts
]]
if not active_user(username) then return refuse('profile_not_found') end
add_author_post(username, id, created_at, 0, now)
restart_refresh(username)
