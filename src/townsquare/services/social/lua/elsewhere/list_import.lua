--[[
  The author's side of a post that was written elsewhere. Who is gone has written nothing.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username)
  Refused: drop_import(id, now)
  Input:   username string, id string, created_at integer, now integer
  Output:  nothing
  Errors:  profile_not_found
  Include: living, engagement, listing
]]
if not living(username) then return refuse('profile_not_found') end
list(username, id, created_at, 0, now)
refresh_from_the_start(username)
