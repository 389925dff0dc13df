--[[
  Write a comment: its record, its page if this is the first comment there, all lists, and the live message.
  A reply below the deepest level becomes a sibling of the comment that it answers. A reply to a held comment is held.
  A comment that was redirected from a merged page does not change the URL and title of this page.

  Keys:    page(page_id), comment(comment_id), page_all(page_id), page_moved(page_id)
  Effects: site_pages(*)
  Asks:    admit_comment (site_not_found, banned, ban_changed), note_comment (commenter_not_found, banned)
  Input:   page_id string, comment_id string, site_id string, page_url string, page_key string, title string?,
           redirected boolean, post_id string?, author_id string, parent_id string?, content string, content_html string,
           fingerprint string, status string, owner string?, shadow boolean, shadowed boolean, sees_hidden boolean, reasons string?,
           mentions string?, max_depth integer, close_before integer, created_at string, now integer
  Output:  parent_id string, depth integer, status string
  Errors:  comment_not_found, posting_closed, page_moved, page_merging
  Include: comment_record, comment_lists, publish, receivers, idempotency
]]
local closed, opened_at, page_deleting, merging, url = unpack(redis.call('HMGET', key.page(page_id), 'closed', 'id',
  'deleting', 'merging', 'url'))
local moved = (merging or not opened_at) and redis.call('GET', key.page_moved(page_id))
if merging and parent_id and read_comment(parent_id) then return refuse('page_merging') end
if moved then return refuse('page_moved', moved) end
if closed == 'true' or page_deleting then return refuse('posting_closed') end
if opened_at and close_before > 0 then
  local first = redis.call('ZRANGE', key.page_all(page_id), 0, 0, 'WITHSCORES')  -- bounded: the first one
  if first[2] and tonumber(first[2]) < close_before then return refuse('posting_closed') end
end
local depth, answers = 0, nil
if parent_id then
  local parent = read_comment(parent_id)
  if not parent or parent.page_id ~= page_id or not is_seen_by(parent, author_id, sees_hidden) then
    return refuse('comment_not_found')
  end
  if parent.status ~= 'approved' and not sees_hidden then status = 'pending' end
  depth = parent.depth + 1
  if depth > max_depth then
    depth, parent_id, answers = parent.depth, parent.parent, parent_id
  end
end
local refusal = ask.admit_comment(site_id, author_id, comment_id, shadowed, now)
if refusal then return refusal end
refusal = ask.note_comment(author_id, comment_id, now, fingerprint)
if refusal then return refusal end

if redirected and opened_at and url ~= page_url then page_url, title = url, nil end
if not opened_at then
  redis.call('HSET', key.page(page_id), 'id', page_id, 'site_id', site_id, 'url', page_url, 'key', page_key,
    'comment_count', 0, 'created_at', created_at)
  emit('ZADD', key.site_pages(site_id), now, page_id)
end
if post_id then redis.call('HSET', key.page(page_id), 'post_id', post_id) end
if title then redis.call('HSET', key.page(page_id), 'title', title) end
local record = {
  'id', comment_id, 'site_id', site_id, 'page_id', page_id, 'page_url', page_url, 'author_id', author_id,
  'content', content, 'content_html', content_html, 'upvotes', 0, 'downvotes', 0, 'reply_count', 0,
  'depth', depth, 'status', status, 'edited', 'false', 'created_at', created_at, 'updated_at', created_at,
}
local function with(field, value)
  if value then record[#record + 1], record[#record + 2] = field, value end
end
with('parent_id', parent_id)
with('shadow', shadow and 'true')
with('reasons', reasons)
with('mentions', mentions)
with('owner', not parent_id and owner)
with('answers', answers)
redis.call('HSET', key.comment(comment_id), unpack(record))
redis.call('ZADD', key.page_all(page_id), now, comment_id)
local comment = {
  page_id = page_id, site_id = site_id, author = author_id, parent = parent_id, status = status,
  shadow = shadow, depth = depth, created_at = now, fresh = true,
}
place_comment(comment_id, comment)
publish_of(comment, 'new_comment', comment_id, {parent_id = parent_id})
if is_public(comment) then
  notify_receivers(comment_id, comment, created_at, now)
  mail_followers(comment_id, page_id, now)
end
remember_result(comment_id)
return {parent_id or '', depth, status}
