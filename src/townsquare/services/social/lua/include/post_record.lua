--[[
  read_post(id): the fields of a post that rules depend on, or nil if it does not exist or is being deleted.
  tags_of(post): its hashtags.

  Keys: post(*)
]]
local function read_post(id)
  local author, created_at, hashtags, comments, banned, deleting = unpack(redis.call('HMGET', key.post(id),
    'user_id', 'created_at', 'hashtags', 'commentsCount', 'banned', 'deleting'))
  if not author or deleting then return nil end
  return {
    author = author, created_at = tonumber(created_at), hashtags = hashtags or '',
    comments = tonumber(comments or 0), banned = banned == 'true',
  }
end

local function tags_of(post)
  return string.gmatch(post.hashtags, '%S+')
end
