--[[
  The other side of an unfollow.

  Keys:    user(username)
  Input:   username string, follower string
  Output:  nothing
  Include: follows
]]
lose_follower(username, follower)
