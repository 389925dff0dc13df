--[[
  A user whom this one follows was deleted: remove this side of the follow.

  Keys:    user(username)
  Input:   username string, gone string
  Include: follows
]]
remove_following(username, gone)
