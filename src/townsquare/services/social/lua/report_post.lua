--[[
  Report a post to the moderators, once per user.

  Keys:    post(id), post_reports(id), post_reasons(id)
  Effects: reports_open()
  Asks:    add_like_bookmark_or_report (profile_not_found, post_not_found)
  Input:   id string, username string, reason string, now integer
  Output:  changed boolean
  Errors:  post_not_found, post_banned
  Include: post_record, reports
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.banned then return refuse('post_banned') end
if redis.call('ZSCORE', key.post_reports(id), username) then return 0 end

local refusal = ask.add_like_bookmark_or_report(username, id, post.author, 'report', now)
if refusal then return refusal end
redis.call('ZADD', key.post_reports(id), now, username)
redis.call('HSET', key.post_reasons(id), username, reason)
count_reports(id, post)
return 1
