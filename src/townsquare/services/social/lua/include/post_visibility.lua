--[[
  hide_post(id, post, banned, now): out of every feed, count and list. show_post(id, post, now): back into them.

  Effects: explore_feed(), reports_open()
  Runs:    tag_post, untag_post, list_post, unlist_post
]]
local function hide_post(id, post, banned, now)
  emit('ZREM', key.explore_feed(), id)
  emit('ZREM', key.reports_open(), id)
  for tag in tags_of(post) do run.untag_post(tag, id, now) end
  run.unlist_post(post.author, id, post.created_at, banned)
end

local function show_post(id, post, weight, now)
  emit('ZADD', key.explore_feed(), post.created_at, id)
  for tag in tags_of(post) do run.tag_post(tag, id, post.created_at, weight, now) end
  run.list_post(post.author, id, post.created_at, weight, now)
end
