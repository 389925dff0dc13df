--[[
  Remove a comment that was not admitted. If it has replies, it becomes a placeholder.

  Keys:    comment(comment_id), comment_moved(comment_id), page_mail(*)
  Runs:    withdraw_comment
  Input:   comment_id string
  Include: comment_record, erasure, publish
]]
local comment = read_comment(comment_id)
local moved = not comment and redis.call('GET', key.comment_moved(comment_id))
if moved then return run.withdraw_comment(moved) end
if not comment then return end
local was_public = is_public(comment)
erase_comment(comment_id, comment)
redis.call('ZREM', key.page_mail(comment.page_id), comment_id)
if was_public then publish(comment.page_id, 'delete_comment', comment_id) end
if redis.call('ZCARD', key.comment_replies(comment_id)) == 0 then
  redis.call('DEL', key.comment(comment_id))
  redis.call('ZREM', key.page_all(comment.page_id), comment_id)
end
