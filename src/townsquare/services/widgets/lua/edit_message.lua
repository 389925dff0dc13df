--[[
  Replace the text of one message where it stands, if neither it nor the settings have changed since they
  were read. No other message moves.

  Keys:    bbs(id), bbs_messages(id), bbs_edits(id), bbs_owner(id)
  Input:   id string, before string, after string, edit string?, owner string?,
           visitor string?, revision integer
  Errors:  widget_not_found, wrong_edit_token, board_changed
  Include: active_widget, may_change_message
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
local place = redis.call('LPOS', key.bbs_messages(id), before)
if not place or record.revision ~= revision then return refuse('board_changed') end
if not may_change_message(record, before, edit, owner, visitor) then return refuse('wrong_edit_token') end

redis.call('LSET', key.bbs_messages(id), place, after)
