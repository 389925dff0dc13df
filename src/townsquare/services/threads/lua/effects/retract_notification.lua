--[[
  Remove the notification of a comment that is no longer visible.

  Keys:    user_notifications(user_id), user_unread(user_id), user_mail(user_id)
  Input:   user_id string, comment_id string
  Include: notification_list, notification_types
]]
redis.call('ZREM', key.user_mail(user_id), comment_id)
change_notifications(user_id, function(notification)
  local same = notification.comment_id == comment_id and is_about_new_comment(notification.notification_type)
  return not same and notification or nil
end)
