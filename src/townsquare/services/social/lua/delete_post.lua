--[[
  Delete a post with everything of its own: gone for everybody at once, and a job takes back what is left with
  others. It leaves feeds, tags and its author's lists as a banned post does.

  Keys:    post(id)
  Effects: moderated(*)
  Runs:    retract_notice
  Deletes: post(id) but places
  Input:   id string, username string?, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
  Errors:  post_not_found, not_yours
  Include: post_record, post_visibility, mentions
]]
if begin then
  local post = read_post(id)
  if not post then return refuse('post_not_found') end
  if username and post.author ~= username then return refuse('not_yours') end
  hide_post(id, post, false, now)
  local moderator, content = unpack(redis.call('HMGET', key.post(id), 'banned_by', 'content'))
  if moderator then emit('ZREM', key.moderated(moderator), id) end
  for name in pairs(mentions_in(content or '')) do run.retract_notice(name, 'mention ' .. id) end
  for _, type in ipairs({'like ', 'moderation '}) do run.retract_notice(post.author, type .. id) end
end
return {delete_post(id, job, begin, chunk, now)}
