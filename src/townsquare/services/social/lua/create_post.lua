--[[
  Write a post: the record with a copy of its author, the author's list, every feed it belongs to.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username), post(id)
  Effects: explore_feed()
  Runs:    tag_post, push_home
  Input:   username string, id string, content string, media_url string?, hashtags json, now integer
  Output:  avatar string, display_name string, role string
  Errors:  profile_not_found
  Include: engagement, listing
]]
local role, deleting, display_name, avatar = unpack(redis.call('HMGET', key.user(username), 'role', 'deleting',
  'display_name', 'avatar'))
if not role or deleting then return refuse('profile_not_found') end

local created_at = string.format('%.0f', now)
redis.call('HSET', key.post(id), 'id', id, 'user_id', username, 'content', content, 'created_at', created_at,
  'username', username, 'user_role', role, 'likesCount', 0, 'commentsCount', 0, 'bookmarksCount', 0)
if media_url then redis.call('HSET', key.post(id), 'media_url', media_url) end
if display_name then redis.call('HSET', key.post(id), 'display_name', display_name) end
if avatar then redis.call('HSET', key.post(id), 'avatar', avatar) end
if #hashtags > 0 then redis.call('HSET', key.post(id), 'hashtags', table.concat(hashtags, ' ')) end

list(username, id, now, 0, now)
emit('ZADD', key.explore_feed(), created_at, id)
for _, tag in ipairs(hashtags) do run.tag_post(tag, id, now, 0, now) end
return {avatar, display_name, role}
