--[[
  Store a notification and send it to the user's connected clients, unless the user has blocked the sender. Remove the
  oldest over the limit. A second run does not store it again, even if it was read in between.

  Keys:    user(user_id), user_notifications(user_id), user_unread(user_id), user_blocks(user_id),
           user_channel(user_id), user_mail(user_id)
  Input:   user_id string, kind string, site_id string, comment_id string, from_user_id string, at string,
           now integer
  Include: mail_queue, notification_types
]]
local exists, deleting, off = unpack(redis.call('HMGET', key.user(user_id), 'id', 'deleting', 'notices_off'))
if not exists or deleting then return end
if string.find(' ' .. (off or '') .. ' ', ' ' .. kind .. ' ', 1, true) then return end
if redis.call('SISMEMBER', key.user_blocks(user_id), from_user_id) == 1 then return end

local id = derived_id(table.concat({kind, comment_id, user_id}, ' '), now)
local list = key.user_notifications(user_id)
local same_moment = redis.call('ZRANGEBYSCORE', list, now, now, 'LIMIT', 0, const.NOTIFICATIONS_KEPT)
for _, kept in ipairs(same_moment) do
  if cjson.decode(kept).id == id then return end
end
redis.call('ZADD', list, now, cjson.encode({
  id = id, notification_type = kind, comment_id = comment_id,
  from_user_id = from_user_id ~= '' and from_user_id or cjson.null, read = false, created_at = at,
  site_id = site_id,
}))
redis.call('INCR', key.user_unread(user_id))
local over = redis.call('ZCARD', list) - const.NOTIFICATIONS_KEPT
if over > 0 then
  local oldest = redis.call('ZPOPMIN', list, over)
  for place = 1, #oldest, 2 do
    if not cjson.decode(oldest[place]).read then redis.call('DECR', key.user_unread(user_id)) end
  end
end
redis.call('PUBLISH', key.user_channel(user_id), cjson.encode({
  type = 'notification', notification_type = kind, comment_id = comment_id, from_user_id = from_user_id,
  site_id = site_id,
}))
if is_about_new_comment(kind) then queue_mail(user_id, {comment_id}, now) end
