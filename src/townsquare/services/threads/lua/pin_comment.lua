--[[
  Pin a comment to the top of its page, or unpin it.

  Keys:    comment(comment_id)
  Runs:    log_action
  Input:   comment_id string, site_id string, pinned boolean, entry string, now integer
  Output:  pinned_at integer
  Errors:  comment_not_found, too_many_pinned
  Include: comment_record, page_pins, publish
]]
local comment = read_comment(comment_id)
if not comment or comment.site_id ~= site_id or not is_public(comment) then return refuse('comment_not_found') end
if pinned == (comment.pinned_at and true or false) then return tonumber(comment.pinned_at or 0) end
local pinned_at = set_pin(comment_id, comment, pinned, now)
if not pinned_at then return refuse('too_many_pinned') end
run.log_action(site_id, entry, now)
publish(comment.page_id, 'pin_update', comment_id, {pinned = pinned, pinned_at = pinned and pinned_at or nil})
return pinned_at
