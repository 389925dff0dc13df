--[[
  A page of the posts of a hashtag, the newest first, with the viewer's state.

  Keys:    hashtag_posts(tag)
  Reads:   read_viewer_state
  Input:   tag string, viewer string?, score number?, member string?, count integer
  Output:  ids string, scores string, read_viewer_state json
  Include: page, viewer_state_of
]]
local ids, scores = ids_and_scores(page(key.hashtag_posts(tag), true, score, member, count))
return {joined(ids), joined(scores), viewer and read.read_viewer_state(viewer, ids) or false}
