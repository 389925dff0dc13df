--[[
  A page of a user's bookmarks, the latest first, with the user's state.

  Keys:    bookmarked(username), liked(username), blocking(username), blocked_by(username), muting(username)
  Input:   username string, score number?, member string?, count integer
  Output:  posts [string], read_viewer_state json
  Include: page, viewer_state_of
]]
local posts = page(key.bookmarked(username), true, score, member, count)
return {posts, viewer_state_of(username, ids_of(posts))}
