--[[
  set_hashtags(id, post, hashtags, now): the hashtags of a post that has another text; if it is shown, those of their feeds.

  Keys:    post(*)
  Runs:    tag_post, untag_post
  Include: recount_post
]]
local function set_hashtags(id, post, hashtags, now)
  if #hashtags > 0 then
    redis.call('HSET', key.post(id), 'hashtags', table.concat(hashtags, ' '))
  else
    redis.call('HDEL', key.post(id), 'hashtags')
  end
  if post.banned then return end
  local kept = {}
  for _, tag in ipairs(hashtags) do kept[tag] = true end
  for tag in tags_of(post) do
    if not kept[tag] then run.untag_post(tag, id, now) end
  end
  for _, tag in ipairs(hashtags) do run.tag_post(tag, id, post.created_at, current_weight(id, post), now) end
end
