--[[
  Give a post the text and the picture that it has elsewhere, however old it is.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Runs:    tag_post, untag_post
  Input:   id string, username string, content string, media_url string?, hashtags json, now integer
  Output:  changed boolean
  Errors:  post_not_found, not_yours
  Include: score, post_record, recount_post
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.author ~= username then return refuse('not_yours') end
local text, picture = unpack(redis.call('HMGET', key.post(id), 'content', 'media_url'))
if text == content and (picture or nil) == media_url then return 0 end

redis.call('HSET', key.post(id), 'content', content, 'edited_at', string.format('%.0f', now))
redis.call('HDEL', key.post(id), 'media_url', 'hashtags')
if media_url then redis.call('HSET', key.post(id), 'media_url', media_url) end
if #hashtags > 0 then redis.call('HSET', key.post(id), 'hashtags', table.concat(hashtags, ' ')) end
if post.banned then return 1 end

local kept = {}
for _, tag in ipairs(hashtags) do kept[tag] = true end
for tag in tags_of(post) do
  if not kept[tag] then run.untag_post(tag, id, now) end
end
for _, tag in ipairs(hashtags) do run.tag_post(tag, id, post.created_at, current_weight(id, post), now) end
return 1
