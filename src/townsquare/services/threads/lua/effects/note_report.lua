--[[
  Add a report to the lists of its reporter. Refused if the reporter does not exist.

  Keys:    user(user_id), user_reports(user_id)
  Refused: drop_report(comment_id, user_id)
  Input:   user_id string, comment_id string, now integer
  Errors:  commenter_not_found
]]
local id, deleting = unpack(redis.call('HMGET', key.user(user_id), 'id', 'deleting'))
if not id or deleting then return refuse('commenter_not_found') end
redis.call('ZADD', key.user_reports(user_id), now, comment_id)
