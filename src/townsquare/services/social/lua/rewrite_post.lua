--[[
  Give a post the text and the picture that it has elsewhere, however old it is.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Input:   id string, username string, content string, media_url string?, hashtags [string], now integer
  Output:  changed boolean
  Errors:  post_not_found, not_yours
  Include: retag
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.author ~= username then return refuse('not_yours') end
local text, picture = unpack(redis.call('HMGET', key.post(id), 'content', 'media_url'))
if text == content and (picture or nil) == media_url then return 0 end

redis.call('HSET', key.post(id), 'content', content, 'edited_at', string.format('%.0f', now))
redis.call('HDEL', key.post(id), 'media_url', 'media_alt')
if media_url then redis.call('HSET', key.post(id), 'media_url', media_url) end
set_hashtags(id, post, hashtags, now)
return 1
