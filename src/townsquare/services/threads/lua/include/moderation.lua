--[[
  log_and_notify(comment_id, comment, entry, now): log an action of a moderator, and notify the author.
  dismiss_reports(id, site_id, reporter): close the reports of a comment, all or those of one reporter.

  Keys:    comment(*), comment_reports(*)
  Effects: site_reports(*)
  Runs:    log_action, notify_user
]]
local function log_and_notify(comment_id, comment, entry, now)
  run.log_action(comment.site_id, entry, now)
  local logged = cjson.decode(entry)
  if comment.author and comment.author ~= logged.moderator_id then
    run.notify_user(comment.author, const.NOTIFY_MOD_ACTION, comment.site_id, comment_id, '', logged.created_at, now)
  end
end

local function dismiss_reports(id, site_id, reporter)
  local reports, open, dismissed = key.comment_reports(id), 0, 0
  -- bounded: as many as report one comment, a handful before a moderator sees it
  local kept = redis.call('HGETALL', reports)
  for place = 1, #kept, 2 do
    local user_id, report = kept[place], kept[place + 1]
    if report ~= '' and (not reporter or user_id == reporter) then
      dismissed = dismissed + 1
      redis.call('HSET', reports, user_id, '')
      emit('ZREM', key.site_reports(site_id), report)
    elseif report ~= '' then
      open = open + 1
    end
  end
  if dismissed > 0 then redis.call('HSET', key.comment(id), 'report_count', open) end
  return dismissed
end
