--[[
  Replace all messages, newest first, and the settings if there are any; no messages clear the board. The
  edit tokens of their authors are gone.

  Keys:    bbs(id), bbs_messages(id), bbs_edits(id), bbs_owner(id)
  Input:   id string, owner string, messages json, last_message string?, settings string?
  Errors:  widget_not_found, wrong_token
  Include: active_widget, board
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.bbs_owner(id)) ~= owner then return refuse('wrong_token') end

if settings then
  record.settings = cjson.decode(settings)
  record.revision = record.revision + 1
end
redis.call('DEL', key.bbs_messages(id), key.bbs_edits(id))
for _, message in ipairs(messages) do redis.call('RPUSH', key.bbs_messages(id), message) end
trim_board(record)
record.lastMessage = last_message or cjson.null
save_board(record)
