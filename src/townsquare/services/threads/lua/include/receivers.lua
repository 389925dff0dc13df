--[[
  notify_receivers(id, comment, at, now): notify the users whom a public comment answers or mentions, once.
  mail_followers(id, page_id, now): queue mail about a new comment to the followers of its page, once.
  take_back_notifications(id): remove these notifications.

  Keys:    comment(*), page_followers(*), page_mail(*), page_mailing(*)
  Runs:    notify_user, retract_notification
  Include: comment_record, jobs, derived_id
]]
local function mail_followers(id, page_id, now)
  if redis.call('SCARD', key.page_followers(page_id)) == 0 then return end
  if redis.call('HSETNX', key.comment(id), 'mailed', 'true') == 0 then return end
  redis.call('ZADD', key.page_mail(page_id), now, id)
  local job = derived_id(page_id, now)
  if redis.call('HSETNX', key.page_mailing(page_id), 'job', job) == 1 then
    start_job(job, const.MAIL_FOLLOWERS_JOB, {page_id = page_id, job = job}, now, const.MAIL_WAITS_MS)
  end
end

local function notify_receivers(id, comment, at, now)
  local answers, owner, mentions, before = unpack(redis.call('HMGET', key.comment(id), 'answers', 'owner', 'mentions',
    'notified'))
  local notified, seen = {}, {[comment.author] = true}
  for user_id in string.gmatch(before or '', '[^,]+') do
    notified[#notified + 1], seen[user_id] = user_id, true
  end
  local known = #notified
  local function notify(user_id, kind)
    if not user_id or seen[user_id] then return end
    notified[#notified + 1], seen[user_id] = user_id, true
    run.notify_user(user_id, kind, comment.site_id, id, comment.author, at, now)
  end
  local answered = answers or comment.parent
  local parent = answered and read_comment(answered)
  if parent then notify(parent.author, const.NOTIFY_REPLY) end
  notify(owner, const.NOTIFY_REPLY)
  for user_id in string.gmatch(mentions or '', '[^,]+') do notify(user_id, const.NOTIFY_MENTION) end
  if #notified > known then redis.call('HSET', key.comment(id), 'notified', table.concat(notified, ',')) end
end

local function take_back_notifications(id)
  local notified = redis.call('HGET', key.comment(id), 'notified')
  if not notified then return end
  for user_id in string.gmatch(notified, '[^,]+') do run.retract_notification(user_id, id) end
  redis.call('HDEL', key.comment(id), 'notified')
end
