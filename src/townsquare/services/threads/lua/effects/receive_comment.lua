--[[
  Receive a comment of a page that is merged into this one, or more of its votes. Only its id changes: the lists of
  the site and of its users get the new id. No notifications are sent.

  Keys:    page(page_id), page_all(page_id), page_pinned(page_id), comment(comment_id), comment_edits(comment_id),
           comment_reports(comment_id), comment_voters(comment_id), vote(*, comment_id), page_followers(page_id),
           page_mail(page_id), page_mailing(page_id)
  Runs:    rename_comment_at_site, rename_comment_of
  Input:   page_id string, comment_id string, old_id string, parent_id string, answers string, created_at integer,
           fields json, edits json, reports json, votes json, mailing boolean, now integer
  Include: comment_record, comment_lists, votes, receivers
]]
local url, site_id, deleting = unpack(redis.call('HMGET', key.page(page_id), 'url', 'site_id', 'deleting'))
if not url or deleting then return end
local users = {}

local function write()
  local record = {}
  for place = 1, #fields, 2 do record[fields[place]] = fields[place + 1] end
  record.id, record.page_id, record.page_url, record.reply_count = comment_id, page_id, url, 0
  record.parent_id = record.parent_id and parent_id
  record.answers = record.answers and answers
  if redis.call('ZCARD', key.page_pinned(page_id)) >= const.PINNED then record.pinned_at = nil end
  if mailing then record.mailed = nil end
  for field, value in pairs(record) do redis.call('HSET', key.comment(comment_id), field, value) end
  for _, edit in ipairs(edits) do redis.call('RPUSH', key.comment_edits(comment_id), edit) end
  redis.call('ZADD', key.page_all(page_id), created_at, comment_id)
  local renamed = {}
  for place = 1, #reports, 2 do
    local user_id, report = reports[place], reports[place + 1]
    users[user_id] = true
    if report ~= '' then
      local copy = cjson.decode(report)
      copy.comment_id = comment_id
      renamed[#renamed + 1], renamed[#renamed + 2] = report, cjson.encode(copy)
      report = renamed[#renamed]
    end
    redis.call('HSET', key.comment_reports(comment_id), user_id, report)
  end
  run.rename_comment_at_site(site_id, old_id, comment_id, renamed)
  if record.author_id then users[record.author_id] = true end
  for user_id in string.gmatch(record.notified or '', '[^,]+') do users[user_id] = true end
end

local is_new = #fields > 0 and redis.call('EXISTS', key.comment(comment_id)) == 0
if is_new then write() end
for place = 1, #votes, 2 do
  local user_id, score = votes[place], tonumber(votes[place + 1])
  users[user_id] = true
  if redis.call('ZADD', key.comment_voters(comment_id), 'NX', score, user_id) == 1 then
    redis.call('SET', key.vote(user_id, comment_id), score == const.UP and 'up' or 'down')
  end
end
for user_id in pairs(users) do run.rename_comment_of(user_id, site_id, old_id, comment_id) end
local comment = read_comment(comment_id)
if not comment then return end
if is_new then place_on_page(comment_id, comment) end
recount_votes(comment_id, comment)
if is_new and mailing and is_public(comment) then mail_followers(comment_id, page_id, now) end
