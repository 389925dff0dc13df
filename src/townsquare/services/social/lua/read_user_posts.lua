--[[
  A page of a user's posts, the newest first, with the viewer's marks.

  Keys:    user_posts(username)
  Reads:   viewer_marks
  Input:   username string, viewer string?, score number?, member string?, count integer
  Output:  posts [string], viewer_marks json
  Include: page, marks_of
]]
local posts = page(key.user_posts(username), true, score, member, count)
return {posts, viewer and read.viewer_marks(viewer, ids_of(posts)) or false}
