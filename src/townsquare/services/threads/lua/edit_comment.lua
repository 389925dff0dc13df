--[[
  Replace the text of a comment, by its author while the site allows it, or by a moderator. The old text goes to
  the history.

  Keys:    comment(comment_id), comment_edits(comment_id)
  Runs:    note_edit
  Input:   comment_id string, user_id string?, content string, content_html string, fingerprint string,
           status string?, reasons string?, mentions string?, edit_ms integer, updated_at string, entry string?, now integer
  Output:  nothing
  Errors:  comment_not_found, not_your_comment, too_late_to_change
  Include: comment_record, comment_lists, publish, receivers, moderation
]]
local comment = read_comment(comment_id)
if not comment or comment.status == 'deleted' then return refuse('comment_not_found') end
if user_id and comment.author ~= user_id then
  if is_public(comment) then return refuse('not_your_comment') end
  return refuse('comment_not_found')
end
if user_id and now - comment.created_at > edit_ms then return refuse('too_late_to_change') end
local before = redis.call('HMGET', key.comment(comment_id), 'content', 'updated_at')
local edits = key.comment_edits(comment_id)
redis.call('LPUSH', edits, cjson.encode({content = before[1], edited_at = before[2]}))
redis.call('LTRIM', edits, 0, const.EDITS_KEPT - 1)
redis.call('HSET', key.comment(comment_id), 'content', content, 'content_html', content_html, 'edited', 'true',
  'updated_at', updated_at, 'mentions', mentions or '')
if comment.author then run.note_edit(comment.author, comment_id, fingerprint) end
local was_public = is_public(comment)
if status and status ~= comment.status and comment.status ~= 'rejected' then
  redis.call('HSET', key.comment(comment_id), 'status', status, 'reasons', reasons or '')
  comment.status = status
  place_comment(comment_id, comment)
end
if is_public(comment) then
  publish(comment.page_id, was_public and 'edit_comment' or 'new_comment', comment_id)
  notify_receivers(comment_id, comment, updated_at, now)
  if not was_public then mail_followers(comment_id, comment.page_id, now) end
elseif was_public then
  publish(comment.page_id, 'delete_comment', comment_id)
else
  publish_of(comment, 'edit_comment', comment_id)
end
if entry then log_and_notify(comment_id, comment, entry, now) end
