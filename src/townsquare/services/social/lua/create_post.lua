--[[
  Write a post: the record with a copy of its author, the author's list, every feed it belongs to.

  Keys:    user(username), user_posts(username), banned_posts(username), watchers(username), post(id)
  Effects: explore_feed()
  Runs:    tag_post, notify_user
  Input:   username string, id string, content string, media_url string?, media_alt string?, hashtags [string],
           now integer
  Output:  avatar string?, display_name string?, role string
  Errors:  profile_not_found
  Include: author_posts, mentions, idempotency
]]
local role, deleting, display_name, avatar = unpack(redis.call('HMGET', key.user(username), 'role', 'deleting',
  'display_name', 'avatar'))
if not role or deleting then return refuse('profile_not_found') end

local record = {
  'id', id, 'user_id', username, 'content', content, 'created_at', now, 'username', username, 'user_role', role,
  'likesCount', 0, 'commentsCount', 0, 'bookmarksCount', 0,
}
local function with(field, value)
  if value then record[#record + 1], record[#record + 2] = field, value end
end
with('media_url', media_url)
with('media_alt', media_url and media_alt)
with('display_name', display_name)
with('avatar', avatar)
with('hashtags', #hashtags > 0 and table.concat(hashtags, ' '))
redis.call('HSET', key.post(id), unpack(record))

add_author_post(username, id, now, 0, now)
emit('ZADD', key.explore_feed(), now, id)
for _, tag in ipairs(hashtags) do run.tag_post(tag, id, now, 0, now) end
for name in pairs(mentions_in(content)) do run.notify_user(name, 'mention ' .. id, username, now) end
remember_result(id)
return {avatar, display_name, role}
