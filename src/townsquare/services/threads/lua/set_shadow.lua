--[[
  Hide a comment from everyone except its author and moderators, or show it again.

  Keys:    comment(comment_id)
  Input:   comment_id string, site_id string, shadow boolean
  Output:  changed boolean
  Include: comment_record, comment_lists, publish
]]
local comment = read_comment(comment_id)
if not comment or comment.site_id ~= site_id or comment.status == 'deleted' or comment.shadow == shadow then
  return 0
end
local was_public = is_public(comment)
if shadow then
  redis.call('HSET', key.comment(comment_id), 'shadow', 'true')
else
  redis.call('HDEL', key.comment(comment_id), 'shadow')
end
comment.shadow = shadow
place_comment(comment_id, comment)
if is_public(comment) then
  publish(comment.page_id, 'new_comment', comment_id, {parent_id = comment.parent})
elseif was_public then
  publish(comment.page_id, 'delete_comment', comment_id)
end
return 1
