--[[
  Notify a user: `what` is `like`, `mention` or `moderation` and the id of a post.

  Keys:    user(username), notices(username), unread_notices(username), blocking(username), blocked_by(username),
           muting(username)
  Input:   username string, what string, by string, now integer
  Include: notices
]]
notify(username, what, by, now)
