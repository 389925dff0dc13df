--[[
  Take a post back that came from elsewhere: its author is gone.

  Keys:    post(id), post_likes(id), post_bookmarks(id), post_reports(id), post_reasons(id)
  Effects: liked(*), bookmarked(*), reported(*)
  Input:   id string, now integer
  Include: post_record, post_visibility
]]
local MOMENTS = 1000  -- likes, bookmarks and reports that the post may have received since it was loaded

local post = read_post(id)
if not post then return end
hide_post(id, post, false, now)
for _, member in ipairs(redis.call('SPOP', key.post_likes(id), MOMENTS)) do emit('ZREM', key.liked(member), id) end
for _, member in ipairs(redis.call('SPOP', key.post_bookmarks(id), MOMENTS)) do emit('ZREM', key.bookmarked(member), id) end
for _, member in ipairs(redis.call('ZRANGE', key.post_reports(id), 0, MOMENTS)) do emit('ZREM', key.reported(member), id) end
redis.call('DEL', key.post(id), key.post_likes(id), key.post_bookmarks(id), key.post_reports(id), key.post_reasons(id))
