--[[
  Change the text or the picture of a post. Omitted values stay. A change without a difference is not an edit.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Runs:    notify_user, retract_notice
  Input:   id string, username string, content string?, hashtags [string], media_url string?, media_alt string?,
           drop_media boolean, now integer
  Errors:  post_not_found, post_banned, not_yours, too_late_to_edit
  Include: retag, mentions
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.author ~= username then return refuse('not_yours') end
if post.banned then return refuse('post_banned') end
if now - post.created_at > const.EDIT_MS then return refuse('too_late_to_edit') end

local text, picture, alt = unpack(redis.call('HMGET', key.post(id), 'content', 'media_url', 'media_alt'))
if content == text then content = nil end
if media_url == picture then media_url = nil end
if media_alt == (alt or '') or not (media_url or picture) then media_alt = nil end
if not content and not media_url and not media_alt and not (drop_media and picture) then return end

redis.call('HSET', key.post(id), 'edited_at', string.format('%.0f', now))
if media_url or drop_media then redis.call('HDEL', key.post(id), 'media_url', 'media_alt') end
if media_url then redis.call('HSET', key.post(id), 'media_url', media_url) end
if media_alt and media_alt ~= '' and not drop_media then redis.call('HSET', key.post(id), 'media_alt', media_alt) end
if media_alt == '' then redis.call('HDEL', key.post(id), 'media_alt') end
if not content then return end

redis.call('HSET', key.post(id), 'content', content)
set_hashtags(id, post, hashtags, now)
local before, after = mentions_in(text or ''), mentions_in(content)
for name in pairs(after) do
  if not before[name] then run.notify_user(name, 'mention ' .. id, username, now) end
end
for name in pairs(before) do
  if not after[name] then run.retract_notice(name, 'mention ' .. id) end
end
