--[[
  publish(page_id, kind, comment_id, more): tell those who look at the page, and keep it for a while for those
  who come back. Only what everybody may see is told.

  Keys: page_events(*), page_channel(*)
]]
local function publish(page_id, kind, comment_id, more)
  local message = more or {}
  message.type, message.comment_id = kind, comment_id
  local events = key.page_events(page_id)
  message.event = redis.call('XADD', events, 'MAXLEN', const.EVENTS_KEPT, '*', 'message', cjson.encode(message))
  redis.call('EXPIRE', events, lifetime.page_events)
  redis.call('PUBLISH', key.page_channel(page_id), cjson.encode(message))
end
