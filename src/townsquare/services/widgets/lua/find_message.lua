--[[
  One message, with the record of its board.

  Keys:    bbs(id), bbs_messages(id)
  Input:   id string, message_id string
  Output:  record json, message json
  Errors:  widget_not_found, message_not_found
  Include: active_widget, board
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
local text = find_message(record, message_id)
if not text then return refuse('message_not_found') end
return {cjson.encode(record), text}
