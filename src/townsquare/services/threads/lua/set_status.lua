--[[
  A moderator approves or rejects a comment, or sends it back to the queue. Answers whose it is, and what it was.

  Keys:    comment(comment_id)
  Input:   comment_id string, site_id string, status string
  Output:  author_id string, before string, page_id string, parent_id string?
  Errors:  comment_not_found
  Include: comment_record, comment_lists, publish
]]
local comment = read_comment(comment_id)
if not comment or comment.site_id ~= site_id or comment.status == 'deleted' then return refuse('comment_not_found') end
local before, was_public = comment.status, is_public(comment)
if before ~= status then
  redis.call('HSET', key.comment(comment_id), 'status', status)
  redis.call('HDEL', key.comment(comment_id), 'reasons')
  comment.status = status
  place_comment(comment_id, comment)
  if is_public(comment) then
    publish(comment.page_id, 'new_comment', comment_id, {parent_id = comment.parent})
  elseif was_public then
    publish(comment.page_id, 'delete_comment', comment_id)
  end
end
return {comment.author, before, comment.page_id, comment.parent or ''}
