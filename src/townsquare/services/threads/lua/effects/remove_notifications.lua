--[[
  Remove all notifications of a user about a comment that is deleted.

  Keys:    user_notifications(user_id), user_unread(user_id), user_mail(user_id)
  Input:   user_id string, comment_id string
  Include: notification_list
]]
redis.call('ZREM', key.user_mail(user_id), comment_id)
change_notifications(user_id, function(notification)
  return notification.comment_id ~= comment_id and notification or nil
end)
