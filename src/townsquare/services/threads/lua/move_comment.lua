--[[
  Move a comment with its votes to the page that its own page is merged into, and leave a pointer. Many votes move in
  several steps; until the last step the comment stays in the list of all comments.

  Keys:    page(page_id), page_new(page_id), page_top(page_id), page_hot(page_id), page_hot_decaying(page_id),
           page_controversial(page_id), page_public(page_id), page_all(page_id), page_hidden(page_id),
           page_hidden_of(page_id, *), page_pinned(page_id), page_mail(page_id), comment(comment_id),
           comment_moved(comment_id), comment_replies(comment_id), comment_voters(comment_id),
           comment_reports(comment_id), comment_edits(comment_id), vote(*, comment_id)
  Runs:    receive_comment
  Input:   page_id string, comment_id string, job string, into_id string, new_id string, parent_id string?,
           answers string?, votes_share integer, now integer
]]
if redis.call('HGET', key.page(page_id), 'merging') ~= job then return end
local created_at = redis.call('ZSCORE', key.page_all(page_id), comment_id)
if not created_at then return end
local voters = key.comment_voters(comment_id)
local votes = redis.call('ZRANGE', voters, 0, votes_share - 1, 'WITHSCORES')
local fields = redis.call('HGETALL', key.comment(comment_id))  -- bounded: the fields of a record
local edits = redis.call('LRANGE', key.comment_edits(comment_id), 0, const.EDITS_KEPT - 1)
-- bounded: as many as report one comment, a handful before a moderator sees it
local reports = redis.call('HGETALL', key.comment_reports(comment_id))
local author = redis.call('HGET', key.comment(comment_id), 'author_id')
local mailing = redis.call('ZREM', key.page_mail(page_id), comment_id) == 1

redis.call('SET', key.comment_moved(comment_id), new_id)
for _, list in ipairs({
  key.page_new(page_id), key.page_top(page_id), key.page_hot(page_id), key.page_hot_decaying(page_id),
  key.page_controversial(page_id), key.page_public(page_id), key.page_hidden(page_id), key.page_pinned(page_id),
}) do
  redis.call('ZREM', list, comment_id)
end
if author then redis.call('ZREM', key.page_hidden_of(page_id, author), comment_id) end
redis.call('HSET', key.page(page_id), 'comment_count', redis.call('ZCARD', key.page_public(page_id)))
redis.call('DEL', key.comment(comment_id), key.comment_replies(comment_id), key.comment_reports(comment_id),
  key.comment_edits(comment_id))
for place = 1, #votes, 2 do
  local user_id = votes[place]
  redis.call('DEL', key.vote(user_id, comment_id))
  redis.call('ZREM', voters, user_id)
end
if redis.call('ZCARD', voters) == 0 then redis.call('ZREM', key.page_all(page_id), comment_id) end
run.receive_comment(into_id, new_id, comment_id, parent_id or '', answers or '', tonumber(created_at), fields, edits,
  reports, votes, mailing, now)
