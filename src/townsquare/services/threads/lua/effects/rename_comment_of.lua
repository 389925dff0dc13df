--[[
  Replace the id of a comment in the lists of a user: comments, votes, reports, notifications and mails.

  Keys:    user_comments(user_id), user_public(user_id, site_id), user_hidden(user_id, site_id),
           user_upvoted(user_id), user_votes(user_id), user_reports(user_id), user_upvotes_notified(user_id),
           user_mail(user_id), user_notifications(user_id), user_unread(user_id)
  Input:   user_id string, site_id string, old_id string, new_id string
  Include: renaming, notification_list
]]
for _, list in ipairs({
  key.user_comments(user_id), key.user_public(user_id, site_id), key.user_hidden(user_id, site_id),
  key.user_upvoted(user_id), key.user_votes(user_id), key.user_reports(user_id), key.user_upvotes_notified(user_id),
  key.user_mail(user_id),
}) do
  rename_member(list, old_id, new_id)
end
change_notifications(user_id, function(notification)
  if notification.comment_id == old_id then notification.comment_id = new_id end
  return notification
end)
