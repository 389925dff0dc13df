--[[
  Ban a post: it leaves every feed and count and keeps who liked and bookmarked it.

  Keys:    post(id)
  Runs:    note_ban, notify_user
  Input:   id string, moderator string?, now integer
  Output:  changed boolean
  Errors:  post_not_found
  Include: post_record, post_visibility
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.banned then return 0 end
redis.call('HSET', key.post(id), 'banned', 'true', 'banned_at', string.format('%.0f', now))
if moderator then redis.call('HSET', key.post(id), 'banned_by', moderator) end
hide_post(id, post, true, now)
if moderator then run.note_ban(moderator, id, now) end
run.notify_user(post.author, 'moderation ' .. id, '', now)
return 1
