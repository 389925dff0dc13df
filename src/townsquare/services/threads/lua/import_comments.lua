--[[
  Import comments of one page, parents before their replies. An existing comment stays as it is. A reply below
  the deepest level becomes a sibling of the comment that it answers; a reply without its parent becomes
  a root. No notifications are sent.

  Keys:    page(page_id), page_all(page_id), page_moved(page_id)
  Effects: site_pages(*), site_comments(*), site_modqueue(*), user_comments(*), user_public(*, *),
           user_hidden(*, *)
  Input:   page_id string, site_id string, page_url string, page_key string, title string?, created_at string,
           opened_at integer, comments json
  Output:  created integer, unchanged integer
  Errors:  posting_closed, page_moved
  Include: comment_record, comment_lists
]]
local opened, page_deleting, merging = unpack(redis.call('HMGET', key.page(page_id), 'id', 'deleting', 'merging'))
local moved = (merging or not opened) and redis.call('GET', key.page_moved(page_id))
if moved then return refuse('page_moved', moved) end
if page_deleting then return refuse('posting_closed') end

local listed_elsewhere = {}  -- by the list: scores and members
local function collect(list, target, comment, id)
  local found = listed_elsewhere[list] or {target = target, members = {}}
  listed_elsewhere[list] = found
  found.members[#found.members + 1] = comment.created_at
  found.members[#found.members + 1] = id
end

local function list_elsewhere(id, comment)
  local author, public = comment.author, is_public(comment)
  if public then collect('public', key.site_comments(site_id), comment, id) end
  if comment.status == 'pending' then collect('pending', key.site_modqueue(site_id), comment, id) end
  if not author then return end
  collect('of ' .. author, key.user_comments(author), comment, id)
  if public then
    collect('public of ' .. author, key.user_public(author, site_id), comment, id)
  else
    collect('hidden of ' .. author, key.user_hidden(author, site_id), comment, id)
  end
end

local function write(given)
  local parent = given.parent_id and read_comment(given.parent_id)
  local depth, parent_id = 0, nil
  if parent and parent.page_id == page_id then
    depth, parent_id = parent.depth + 1, given.parent_id
    if depth > const.DEEPEST then depth, parent_id = parent.depth, parent.parent end
  end
  local record = {
    'id', given.id, 'site_id', site_id, 'page_id', page_id, 'page_url', page_url, 'content', given.content,
    'content_html', given.content_html, 'upvotes', given.upvotes, 'downvotes', given.downvotes, 'reply_count', 0,
    'depth', depth, 'status', given.status, 'edited', given.edited and 'true' or 'false',
    'created_at', given.created_at, 'updated_at', given.updated_at, 'foreign_id', given.foreign_id,
    'imported_upvotes', given.upvotes, 'imported_downvotes', given.downvotes,
  }
  for field, value in pairs({parent_id = parent_id, author_id = given.author_id}) do
    record[#record + 1], record[#record + 2] = field, value
  end
  redis.call('HSET', key.comment(given.id), unpack(record))
  redis.call('ZADD', key.page_all(page_id), given.created_ms, given.id)
  local comment = {
    page_id = page_id, site_id = site_id, author = given.author_id, parent = parent_id, status = given.status,
    shadow = false, depth = depth, created_at = given.created_ms,
  }
  place_on_page(given.id, comment)
  list_elsewhere(given.id, comment)
end

if not opened then
  redis.call('HSET', key.page(page_id), 'id', page_id, 'site_id', site_id, 'url', page_url, 'key', page_key,
    'comment_count', 0, 'created_at', created_at)
  emit('ZADD', key.site_pages(site_id), opened_at, page_id)
end
if title then redis.call('HSETNX', key.page(page_id), 'title', title) end
local created = 0
for _, given in ipairs(comments) do
  if redis.call('EXISTS', key.comment(given.id)) == 0 then
    write(given)
    created = created + 1
  end
end
for _, found in pairs(listed_elsewhere) do emit('ZADD', found.target, unpack(found.members)) end
return {created, #comments - created}
