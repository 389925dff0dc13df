--[[
  The other side of an unfollow.

  Keys:    user(username)
  Input:   username string, follower string
  Include: follows
]]
remove_from_followers(username, follower)
