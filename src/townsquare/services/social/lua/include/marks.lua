--[[
  marks_of(id, kind): the set of who likes or has bookmarked a post.

  Keys: post_likes(*), post_bookmarks(*)
]]
local function marks_of(id, kind)
  return kind == 'like' and key.post_likes(id) or key.post_bookmarks(id)
end
