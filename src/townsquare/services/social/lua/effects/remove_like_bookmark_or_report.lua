--[[
  Undo a like, bookmark or report that the user's home refused, or whose user is deleted.

  Keys:    post(id), post_likes(id), post_bookmarks(id), post_reports(id), post_reasons(id)
  Effects: liked(*), bookmarked(*), reported(*), reports_open()
  Runs:    retract_notice
  Input:   id string, username string, kind string, now integer
  Include: score, post_record, recount_post, likes_or_bookmarks, reports
]]
local post = read_post(id)
if not post then return end
if kind == 'report' then
  if redis.call('ZREM', key.post_reports(id), username) == 0 then return end
  redis.call('HDEL', key.post_reasons(id), username)
  count_reports(id, post)
  emit('ZREM', key.reported(username), id)
  return
end
if redis.call('SREM', likes_or_bookmarks(id, kind), username) == 0 then return end
if recount_post(id, post, now) == 0 then run.retract_notice(post.author, 'like ' .. id) end
emit('ZREM', kind == 'like' and key.liked(username) or key.bookmarked(username), id)
