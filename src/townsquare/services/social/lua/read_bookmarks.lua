--[[
  A page of a user's bookmarks, the latest first, with the user's state.

  Keys:    bookmarked(username), liked(username), blocking(username), blocked_by(username), muting(username)
  Input:   username string, score number?, member string?, count integer
  Output:  ids string, scores string, read_viewer_state json
  Include: page, viewer_state_of
]]
local ids, scores = ids_and_scores(page(key.bookmarked(username), true, score, member, count))
return {joined(ids), joined(scores), viewer_state_of(username, ids)}
