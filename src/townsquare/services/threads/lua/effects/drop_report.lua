--[[
  Remove a user's report of a comment: the user does not exist or is being deleted.

  Keys:    comment(comment_id), comment_reports(comment_id), comment_moved(comment_id)
  Effects: site_reports(*), user_reports(*)
  Runs:    drop_report
  Input:   comment_id string, user_id string
]]
local moved = redis.call('GET', key.comment_moved(comment_id))
if moved then run.drop_report(moved, user_id) end
local report = redis.call('HGET', key.comment_reports(comment_id), user_id)
if report then
  local site_id = redis.call('HGET', key.comment(comment_id), 'site_id')
  redis.call('HDEL', key.comment_reports(comment_id), user_id)
  if site_id and report ~= '' then
    redis.call('HINCRBY', key.comment(comment_id), 'report_count', -1)
    emit('ZREM', key.site_reports(site_id), report)
  end
end
emit('ZREM', key.user_reports(user_id), comment_id)
