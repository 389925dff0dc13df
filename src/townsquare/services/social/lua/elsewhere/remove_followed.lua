--[[
  Somebody whom this user follows is gone, and has forgotten the follow already.

  Keys:    user(username)
  Input:   username string, gone string
  Output:  nothing
  Include: follows
]]
remove_following(username, gone)
