--[[
  Add comments to the next mail to a user.

  Keys:    user(user_id)
  Input:   user_id string, ids [string], now integer
  Include: mail_queue
]]
queue_mail(user_id, ids, now)
