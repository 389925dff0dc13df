--[[
  Change what is given of a board: the settings, if they are still those of the `revision` that the caller
  has read, or all messages (newest first; none clear it), with which the edit tokens of their authors go.
  The oldest messages go if the board keeps fewer.

  Keys:    bbs(id), bbs_messages(id), bbs_edits(id), bbs_owner(id)
  Input:   id string, owner string, settings string?, revision integer?, messages string?, last_message string?
  Errors:  widget_not_found, wrong_token, board_changed
  Include: active_widget, board
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.bbs_owner(id)) ~= owner then return refuse('wrong_token') end
if revision and record.revision ~= revision then return refuse('board_changed') end

if settings then
  record.settings = cjson.decode(settings)
  record.revision = record.revision + 1
end
if messages then
  redis.call('DEL', key.bbs_messages(id), key.bbs_edits(id))
  for _, message in ipairs(cjson.decode(messages)) do redis.call('RPUSH', key.bbs_messages(id), message) end
  record.lastMessage = last_message or cjson.null
end
trim_board(record)
save_board(record)
