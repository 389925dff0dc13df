--[[
  Delete a post with everything of its own: gone for everybody at once, and a job takes back what is left with
  others. It leaves feeds, tags and its author's lists as a banned post does.

  Keys:    post(id)
  Effects: moderated(*)
  Deletes: post(id) but places
  Input:   id string, username string?, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
  Errors:  post_not_found, not_yours
  Include: post_record, post_visibility
]]
if begin then
  local post = read_post(id)
  if not post then return refuse('post_not_found') end
  if username and post.author ~= username then return refuse('not_yours') end
  hide_post(id, post, false, now)
  local moderator = redis.call('HGET', key.post(id), 'banned_by')
  if moderator then emit('ZREM', key.moderated(moderator), id) end
end
return {delete_post(id, job, begin, chunk, now)}
