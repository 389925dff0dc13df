--[[
  Turn a comment into a placeholder, because its author is being deleted.

  Keys:    comment(comment_id), comment_moved(comment_id)
  Runs:    erase_comment_of
  Input:   comment_id string, user_id string
  Include: comment_record, erasure, publish
]]
local comment = read_comment(comment_id)
local moved = not comment and redis.call('GET', key.comment_moved(comment_id))
if moved then return run.erase_comment_of(moved, user_id) end
if not comment or comment.author ~= user_id then return end
local was_public = is_public(comment)
erase_comment(comment_id, comment)
if was_public then publish(comment.page_id, 'delete_comment', comment_id) end
