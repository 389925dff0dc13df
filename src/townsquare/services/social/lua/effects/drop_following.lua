--[[
  Take a follow back whose other side was refused. Both sides: the follow may have been made again since.

  Keys:    user(username)
  Runs:    remove_follower
  Input:   username string, other string
  Include: follows
]]
if remove_following(username, other) == 1 then run.remove_follower(other, username) end
