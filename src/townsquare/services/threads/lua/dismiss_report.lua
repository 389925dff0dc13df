--[[
  A moderator closes a report without changing the comment.

  Keys:    comment(comment_id)
  Runs:    log_action
  Input:   comment_id string, site_id string, reporter_id string, entry string, now integer
  Output:  changed boolean
  Errors:  comment_not_found
  Include: comment_record, moderation
]]
local comment = read_comment(comment_id)
if not comment or comment.site_id ~= site_id then return refuse('comment_not_found') end
if dismiss_reports(comment_id, site_id, reporter_id) == 0 then return 0 end
run.log_action(site_id, entry, now)
return 1
