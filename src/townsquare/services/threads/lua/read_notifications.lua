--[[
  Mark notifications as read, of one site or of all: those that are named, or with none named all.

  Keys:    user_notifications(user_id), user_unread(user_id)
  Input:   user_id string, site_id string?, ids [string]
  Output:  changed integer, unread integer
  Include: notification_list
]]
local named = {}
for _, id in ipairs(ids) do named[id] = true end
local changed, unread = change_notifications(user_id, function(notification)
  if (not site_id or notification.site_id == site_id) and (#ids == 0 or named[notification.id]) then notification.read = true end
  return notification
end)
return {changed, unread}
