--[[
  Ban a post: it leaves every feed and count and keeps who liked and bookmarked it.

  Keys:    post(id)
  Effects: moderated(moderator)
  Runs:    untag_post, unlist_post
  Input:   id string, moderator string, now integer
  Output:  changed boolean
  Errors:  post_not_found
  Include: post_record, showing
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.banned then return 0 end
local at = string.format('%.0f', now)
redis.call('HSET', key.post(id), 'banned', 'true', 'banned_at', at, 'banned_by', moderator)
hide(id, post, true, now)
emit('ZADD', key.moderated(moderator), at, id)
return 1
