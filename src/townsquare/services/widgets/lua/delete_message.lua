--[[
  Remove one message; no other moves.

  Keys:    bbs(id), bbs_messages(id), bbs_edits(id), bbs_owner(id)
  Input:   id string, message_id string, edit string?, owner string?, visitor string?
  Errors:  widget_not_found, message_not_found, wrong_edit_token
  Include: active_widget, board, may_change_message
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
local text = find_message(record, message_id)
if not text then return refuse('message_not_found') end
if not may_change_message(record, text, edit, owner, visitor) then return refuse('wrong_edit_token') end

redis.call('LREM', key.bbs_messages(id), 1, text)
redis.call('HDEL', key.bbs_edits(id), message_id)
save_board(record)
