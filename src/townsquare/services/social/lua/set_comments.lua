--[[
  How many comments a post has, as the threads service counts them.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Input:   id string, count integer, now integer
  Output:  changed boolean
  Errors:  post_not_found
  Include: score, post_record, recount_post
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.comments == count then return 0 end
post.comments = count
redis.call('HSET', key.post(id), 'commentsCount', string.format('%.0f', count))
recount_post(id, post, now)
return 1
