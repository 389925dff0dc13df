--[[
  publish(page_id, kind, comment_id, more): tell those who look at the page, and keep it for a while for those
  who come back. Only what everybody may see is told, or with `only_to` what one user may.
  publish_of(comment, kind, comment_id, more): the same of a comment that is public; of one that only looks so to
  its author the author's other tabs are told.

  Keys:    page_events(*), page_channel(*)
  Include: comment_record
]]
local function publish(page_id, kind, comment_id, more)
  local message = more or {}
  message.type, message.comment_id = kind, comment_id
  local events = key.page_events(page_id)
  message.event = redis.call('XADD', events, 'MAXLEN', const.EVENTS_KEPT, '*', 'message', cjson.encode(message))
  redis.call('EXPIRE', events, lifetime.page_events)
  redis.call('PUBLISH', key.page_channel(page_id), cjson.encode(message))
end

local function publish_of(comment, kind, comment_id, more)
  if is_public(comment) then return publish(comment.page_id, kind, comment_id, more) end
  if not comment.shadow or comment.status ~= 'approved' then return end
  more = more or {}
  more.only_to = comment.author
  publish(comment.page_id, kind, comment_id, more)
end
