--[[
  The author of a comment goes: a place is left of it.

  Keys:    comment(comment_id)
  Input:   comment_id string, user_id string
  Include: comment_record, erasure, publish
]]
local comment = read_comment(comment_id)
if not comment or comment.author ~= user_id then return end
local was_public = is_public(comment)
erase_comment(comment_id, comment)
if was_public then publish(comment.page_id, 'delete_comment', comment_id) end
