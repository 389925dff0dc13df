--[[
  read_comment(id): the fields of a comment that decide about it, or nil.
  is_public(comment): whether everyone sees it.
  is_seen_by(comment, user_id, sees_hidden): whether this user sees it; `sees_hidden` is true for moderators.

  Keys: comment(*), page_all(*)
]]
local function read_comment(id)
  local page_id, site_id, author, parent, status, shadow, depth, pinned_at, deleting = unpack(redis.call('HMGET',
    key.comment(id), 'page_id', 'site_id', 'author_id', 'parent_id', 'status', 'shadow', 'depth', 'pinned_at',
    'deleting'))
  if not page_id or deleting then return nil end
  return {
    page_id = page_id, site_id = site_id, author = author, parent = parent, status = status,
    shadow = shadow == 'true', depth = tonumber(depth), pinned_at = pinned_at,
    created_at = tonumber(redis.call('ZSCORE', key.page_all(page_id), id)),
  }
end

local function is_public(comment)
  return comment.status == 'approved' and not comment.shadow
end

local function is_seen_by(comment, user_id, sees_hidden)
  if comment.status == 'deleted' then return false end
  return is_public(comment) or sees_hidden or (user_id and comment.author == user_id) or false
end
