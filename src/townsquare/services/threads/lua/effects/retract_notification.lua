--[[
  Remove the notification of a comment that is no longer visible.

  Keys:    user_notifications(user_id), user_unread(user_id), user_mail(user_id)
  Input:   user_id string, comment_id string
  Include: notification_list
]]
redis.call('ZREM', key.user_mail(user_id), comment_id)
change_notifications(user_id, function(notification)
  local kind = notification.notification_type
  local about_it = notification.comment_id == comment_id and (kind == 'reply' or kind == 'mention')
  return not about_it and notification or nil
end)
