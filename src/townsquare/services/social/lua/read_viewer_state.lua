--[[
  The viewer's likes and bookmarks among posts: see `viewer_state_of`.

  Keys:    liked(viewer), bookmarked(viewer), blocking(viewer), blocked_by(viewer), muting(viewer)
  Input:   viewer string, ids [string]
  Output:  liked [string], bookmarked [string], hides_users integer
  Include: viewer_state_of
]]
return viewer_state_of(viewer, ids)
