--[[
  Notify the author of a comment about upvotes, once an hour for each comment.

  Keys:    user_upvotes_notified(user_id)
  Runs:    notify_user
  Include: deadlines
  Input:   user_id string, site_id string, comment_id string, voter_id string, at string, now integer
]]
local notified = key.user_upvotes_notified(user_id)
drop_outside(notified, now, const.UPVOTES_MS)
if redis.call('ZADD', notified, 'NX', now, comment_id) == 0 then return end
run.notify_user(user_id, const.NOTIFY_UPVOTE, site_id, comment_id, voter_id, at, now)
