--[[
  likes_or_bookmarks(id, kind): the key of the users who like the post, or have bookmarked it.

  Keys: post_likes(*), post_bookmarks(*)
]]
local function likes_or_bookmarks(id, kind)
  return kind == 'like' and key.post_likes(id) or key.post_bookmarks(id)
end
