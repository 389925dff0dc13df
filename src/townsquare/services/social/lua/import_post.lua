--[[
  Write a post that was written elsewhere, with the id and the time that it has there.

  Keys:    post(id)
  Effects: explore_feed()
  Runs:    copy_author, tag_post
  Asks:    list_imported_post (profile_not_found)
  Input:   id string, username string, content string, media_url string?, hashtags [string], created_at integer, now integer
  Output:  outcome string (created, exists)
]]
if redis.call('EXISTS', key.post(id)) == 1 then return 'exists' end
local refusal = ask.list_imported_post(username, id, created_at, now)
if refusal then return refusal end

local at = string.format('%.0f', created_at)
redis.call('HSET', key.post(id), 'id', id, 'user_id', username, 'content', content, 'created_at', at, 'username', username,
  'user_role', 'user', 'likesCount', 0, 'commentsCount', 0, 'bookmarksCount', 0)
if media_url then redis.call('HSET', key.post(id), 'media_url', media_url) end
if #hashtags > 0 then redis.call('HSET', key.post(id), 'hashtags', table.concat(hashtags, ' ')) end
run.copy_author(username, id)

emit('ZADD', key.explore_feed(), at, id)
for _, tag in ipairs(hashtags) do run.tag_post(tag, id, created_at, 0, now) end
return 'created'
