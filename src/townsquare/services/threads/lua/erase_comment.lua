--[[
  Delete a comment, by its author or by a moderator. It becomes a placeholder, which is listed if it has replies.
  The author loses the notifications of its upvotes, and is notified of the action of a moderator.

  Keys:    comment(comment_id)
  Runs:    remove_notifications
  Input:   comment_id string, user_id string?, entry string?, now integer
  Output:  author_id string?
  Errors:  comment_not_found, not_your_comment
  Include: comment_record, erasure, publish, moderation
]]
local comment = read_comment(comment_id)
if not comment or comment.status == 'deleted' then return refuse('comment_not_found') end
if user_id and comment.author ~= user_id then
  if is_public(comment) then return refuse('not_your_comment') end
  return refuse('comment_not_found')
end
local author = comment.author
publish_of(comment, 'delete_comment', comment_id)
if author then run.remove_notifications(author, comment_id) end
if entry then log_and_notify(comment_id, comment, entry, now) end
erase_comment(comment_id, comment)
if entry and author then redis.call('HSET', key.comment(comment_id), 'notified', author) end
return author
