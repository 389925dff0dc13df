--[[
  erase_comment(id, comment): turn a comment into a placeholder without author and text. It is listed only if it has
  replies.

  Keys:    comment(*), comment_edits(*), comment_reports(*), page_hidden_of(*, *), comment_replies(*), page_all(*)
  Effects: user_comments(*), user_public(*, *), user_hidden(*, *), user_reports(*), site_reports(*)
  Runs:    set_karma
  Include: comment_record, comment_lists
]]
local function erase_comment(id, comment)
  -- bounded: as many as report one comment, a handful before a moderator sees it
  local reports = redis.call('HGETALL', key.comment_reports(id))
  for place = 1, #reports, 2 do
    emit('ZREM', key.user_reports(reports[place]), id)
    if reports[place + 1] ~= '' then emit('ZREM', key.site_reports(comment.site_id), reports[place + 1]) end
  end
  redis.call('HDEL', key.comment(id), 'author_id', 'reasons', 'shadow', 'karma', 'report_count', 'pinned_at',
    'mentions', 'answers')
  redis.call('HSET', key.comment(id), 'status', 'deleted', 'content', '', 'content_html', '', 'edited', 'false')
  redis.call('DEL', key.comment_edits(id), key.comment_reports(id))
  if comment.author then
    redis.call('ZREM', key.page_hidden_of(comment.page_id, comment.author), id)
    emit('ZREM', key.user_comments(comment.author), id)
    emit('ZREM', key.user_public(comment.author, comment.site_id), id)
    emit('ZREM', key.user_hidden(comment.author, comment.site_id), id)
    run.set_karma(comment.author, id, 0)
  end
  comment.author, comment.status, comment.shadow, comment.pinned_at = nil, 'deleted', false, nil
  place_comment(id, comment)
end
