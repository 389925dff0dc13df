--[[
  The other side of an unfollow.

  Keys:    user(username)
  Input:   username string, follower string
  Output:  nothing
  Include: follows
]]
remove_from_followers(username, follower)
