--[[
  A page of a user's bookmarks, the latest first, with their marks.

  Keys:    bookmarked(username), liked(username), blocking(username), blocked_by(username), muting(username)
  Input:   username string, score number?, member string?, count integer
  Output:  posts [string], viewer_marks json
  Include: page, marks_of
]]
local posts = page(key.bookmarked(username), true, score, member, count)
return {posts, marks_of(username, ids_of(posts))}
