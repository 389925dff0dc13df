--[[
  Remove a notification whose cause is gone.

  Keys:    notices(username), unread_notices(username)
  Input:   username string, what string
  Include: notices
]]
drop_notice(username, what)
