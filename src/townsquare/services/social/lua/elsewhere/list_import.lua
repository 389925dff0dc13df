--[[
  The author's side of a post that was written elsewhere. Who is gone has written nothing.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username)
  Runs:    drop_import
  Input:   username string, id string, created_at integer, now integer
  Output:  outcome string (kept, nobody)
  Include: living, engagement, listing
]]
if not living(username) then
  run.drop_import(id, now)
  return 'nobody'
end
list(username, id, created_at, 0, now)
refresh_from_the_start(username)
return 'kept'
