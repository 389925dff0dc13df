--[[
  What a viewer's own lists say about posts: see `marks_of`.

  Keys:    liked(viewer), bookmarked(viewer), blocking(viewer), blocked_by(viewer), muting(viewer)
  Input:   viewer string, ids json
  Output:  liked [string], bookmarked [string], hides integer
  Include: marks_of
]]
return marks_of(viewer, ids)
