--[[
  A moderator approves or rejects a comment, or sends it back to the queue. This closes its reports.

  Keys:    comment(comment_id)
  Input:   comment_id string, site_id string, status string, entry string, at string, now integer
  Output:  changed boolean
  Errors:  comment_not_found
  Include: comment_record, comment_lists, publish, receivers, moderation
]]
local comment = read_comment(comment_id)
if not comment or comment.site_id ~= site_id or comment.status == 'deleted' then return refuse('comment_not_found') end
local before, was_public = comment.status, is_public(comment)
local dismissed = dismiss_reports(comment_id, site_id)
if before == status then
  if dismissed > 0 then run.log_action(site_id, entry, now) end
  return dismissed > 0 and 1 or 0
end
redis.call('HSET', key.comment(comment_id), 'status', status)
redis.call('HDEL', key.comment(comment_id), 'reasons')
comment.status = status
place_comment(comment_id, comment)
if is_public(comment) then
  publish(comment.page_id, 'new_comment', comment_id, {parent_id = comment.parent})
  notify_receivers(comment_id, comment, at, now)
  mail_followers(comment_id, comment.page_id, now)
elseif was_public then
  publish(comment.page_id, 'delete_comment', comment_id)
end
log_and_notify(comment_id, comment, entry, now)
return 1
