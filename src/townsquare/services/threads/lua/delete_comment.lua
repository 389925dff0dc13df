--[[
  Delete a comment with everything of its own, as its page is deleted. Its author and the users who were notified
  of it lose their notifications of it.

  Keys:    comment(comment_id)
  Runs:    remove_notifications
  Deletes: comment(comment_id)
  Input:   comment_id string, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
  Errors:  not_found
]]
if begin then
  if redis.call('EXISTS', key.comment(comment_id)) == 0 then return refuse('not_found') end
  local author, notified = unpack(redis.call('HMGET', key.comment(comment_id), 'author_id', 'notified'))
  if author then run.remove_notifications(author, comment_id) end
  for user_id in string.gmatch(notified or '', '[^,]+') do run.remove_notifications(user_id, comment_id) end
end
return {delete_comment(comment_id, job, begin, chunk, now)}
