--[[
  publish(page_id, kind, comment_id, more): send a live message to the readers of a page, and store it for readers who
  reconnect. It contains only what everyone may see, or with `only_to` what this user may see.
  publish_of(comment, kind, comment_id, more): the same for a comment: to everyone if it is public, to its author if it
  is shadow-banned.

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
