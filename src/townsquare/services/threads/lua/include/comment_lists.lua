--[[
  place_comment(id, comment): put a comment into the lists in which it belongs, and remove it from all others. The same
  for its parents, which are listed while they have listed replies. A `fresh` comment is in no list yet.
  place_on_page(id, comment): the same for the lists of its page.
  rescore_comment(id, comment, listed, up, down): update the orders of its page that depend on votes.

  Keys:    comment(*), comment_replies(*), comment_voters(*), page(*), page_new(*), page_top(*), page_hot(*),
           page_hot_decaying(*), page_controversial(*), page_public(*), page_hidden(*), page_hidden_of(*, *),
           page_pinned(*), page_all(*)
  Effects: site_comments(*), site_modqueue(*), user_comments(*), user_public(*, *), user_hidden(*, *)
  Runs:    set_karma, queue_comment
  Include: comment_record, jobs, receivers
]]
local function put(name, belongs, score, member, fresh)
  if belongs then
    redis.call('ZADD', name, score, member)
  elseif not fresh then
    redis.call('ZREM', name, member)
  end
end

local function put_elsewhere(target, belongs, score, member, fresh)
  if belongs then
    emit('ZADD', target, score, member)
  elseif not fresh then
    emit('ZREM', target, member)
  end
end

local function rescore_comment(id, comment, listed, up, down)
  local score, seconds = up - down, math.floor(comment.created_at / 1000)
  local power = math.log10(math.max(math.abs(score), 1))
  if score < 0 then power = -power end
  local page_id, fresh = comment.page_id, comment.fresh
  put(key.page_top(page_id), listed, score, id, fresh)
  put(key.page_hot(page_id), listed, power + math.log10(math.max(seconds, 1)) / const.HOT_SECONDS, id, fresh)
  put(key.page_hot_decaying(page_id), listed, power + seconds / const.HOT_SECONDS, id, fresh)
  put(key.page_controversial(page_id), listed,
    (up + down) * math.min(up, down) / math.max(up, down, 1), id, fresh)
end

local function list_in_page(id, comment, listed)
  put(key.page_new(comment.page_id), listed, comment.created_at, id, comment.fresh)
  local votes = comment.fresh and {} or redis.call('HMGET', key.comment(id), 'upvotes', 'downvotes')
  rescore_comment(id, comment, listed, tonumber(votes[1] or 0), tonumber(votes[2] or 0))
end

local function list_comment(id, comment)
  for _ = 0, const.DEEPEST do
    local listed = is_public(comment) or redis.call('ZCARD', key.comment_replies(id)) > 0
    local parent = comment.parent
    if not parent then return list_in_page(id, comment, listed) end
    local above = read_comment(parent)
    if not above then return end  -- it has moved to another page already
    put(key.comment_replies(parent), listed, comment.created_at, id, comment.fresh)
    redis.call('HSET', key.comment(parent), 'reply_count', redis.call('ZCARD', key.comment_replies(parent)))
    if is_public(above) then return end
    id, comment = parent, above
  end
end

local function place_on_page(id, comment)
  local page_id, created_at, public = comment.page_id, comment.created_at, is_public(comment)
  local hidden, fresh = not public and comment.status ~= 'deleted', comment.fresh
  put(key.page_public(page_id), public, created_at, id, fresh)
  redis.call('HSET', key.page(page_id), 'comment_count', redis.call('ZCARD', key.page_public(page_id)))
  if redis.call('HEXISTS', key.page(page_id), 'post_id') == 1 then
    start_job(page_id, const.UPDATE_POST_COUNT_JOB, {page_id = page_id}, redis.call('TIME')[1] * 1000)
  end
  put(key.page_hidden(page_id), hidden, created_at, id, fresh)
  if comment.author then put(key.page_hidden_of(page_id, comment.author), hidden, created_at, id, fresh) end
  put(key.page_pinned(page_id), comment.pinned_at, comment.pinned_at, id, fresh)
  list_comment(id, comment)
end

local function place_comment(id, comment)
  place_on_page(id, comment)
  local created_at, public = comment.created_at, is_public(comment)
  local hidden, fresh = not public and comment.status ~= 'deleted', comment.fresh
  put_elsewhere(key.site_comments(comment.site_id), public, created_at, id, fresh)
  if comment.status == 'pending' then
    run.queue_comment(comment.site_id, id, created_at)
  elseif not fresh then
    emit('ZREM', key.site_modqueue(comment.site_id), id)
  end
  if comment.author then
    put_elsewhere(key.user_public(comment.author, comment.site_id), public, created_at, id, fresh)
    put_elsewhere(key.user_hidden(comment.author, comment.site_id), hidden, created_at, id, fresh)
  end
  if not public and not fresh then take_back_notifications(id) end
end
