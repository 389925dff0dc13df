--[[
  A page of all posts, the newest first, with the viewer's marks.

  Keys:    explore_feed()
  Reads:   viewer_marks
  Input:   viewer string?, score number?, member string?, count integer
  Output:  posts [string], viewer_marks json
  Include: page, marks_of
]]
local posts = page(key.explore_feed(), true, score, member, count)
return {posts, viewer and read.viewer_marks(viewer, ids_of(posts)) or false}
