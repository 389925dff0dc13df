--[[
  Delete a comment, by its author or by a moderator. It becomes a placeholder, which is listed if it has replies.

  Keys:    comment(comment_id)
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
if entry then log_and_tell(comment_id, comment, entry, now) end
erase_comment(comment_id, comment)
return author
