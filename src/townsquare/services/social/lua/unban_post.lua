--[[
  Bring a banned post back, whole.

  Keys:    post(id), post_likes(id), post_bookmarks(id), post_reports(id)
  Effects: moderated(*)
  Runs:    retract_notice
  Input:   id string, now integer
  Output:  changed boolean
  Errors:  post_not_found
  Include: score, post_record, recount_post, post_visibility, reports
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if not post.banned then return 0 end
local moderator = redis.call('HGET', key.post(id), 'banned_by')
if moderator then emit('ZREM', key.moderated(moderator), id) end
redis.call('HDEL', key.post(id), 'banned', 'banned_at', 'banned_by')
post.banned = false
run.retract_notice(post.author, 'moderation ' .. id)
show_post(id, post, current_weight(id, post), now)
if redis.call('ZCARD', key.post_reports(id)) > 0 then count_reports(id, post) end
return 1
