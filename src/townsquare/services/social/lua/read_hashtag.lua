--[[
  A page of the posts of a hashtag, the newest first, with the viewer's marks.

  Keys:    hashtag_posts(tag)
  Reads:   viewer_marks
  Input:   tag string, viewer string?, score number?, member string?, count integer
  Output:  posts [string], viewer_marks json
  Include: page, marks_of
]]
local posts = page(key.hashtag_posts(tag), true, score, member, count)
return {posts, viewer and read.viewer_marks(viewer, ids_of(posts)) or false}
