--[[
  Report a comment to the moderators, once per user. After `hold_after` reports the comment is held.

  Keys:    comment(comment_id), comment_reports(comment_id)
  Effects: site_reports(*)
  Asks:    note_report (commenter_not_found)
  Input:   comment_id string, site_id string, user_id string, report string, hold_after integer, now integer
  Output:  changed boolean, held boolean
  Errors:  comment_not_found
  Include: comment_record, comment_lists, publish
]]
local comment = read_comment(comment_id)
if not comment or comment.site_id ~= site_id or not is_seen_by(comment, user_id, false) then
  return refuse('comment_not_found')
end
local reports = key.comment_reports(comment_id)
if redis.call('HEXISTS', reports, user_id) == 1 then return {0, 0} end
local refusal = ask.note_report(user_id, comment_id, now)
if refusal then return refusal end
redis.call('HSET', reports, user_id, report)
local count = tonumber(redis.call('HGET', key.comment(comment_id), 'report_count') or 0) + 1
redis.call('HSET', key.comment(comment_id), 'report_count', count)
emit('ZADD', key.site_reports(site_id), now, report)
if hold_after == 0 or count < hold_after or comment.status ~= 'approved' then return {1, 0} end
local was_public = is_public(comment)
redis.call('HSET', key.comment(comment_id), 'status', 'pending', 'reasons', 'reports')
comment.status = 'pending'
place_comment(comment_id, comment)
if was_public then publish(comment.page_id, 'delete_comment', comment_id) end
return {1, 1}
