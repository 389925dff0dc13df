--[[
  One page of a board, the newest messages first or the oldest; `per` messages, or as many as the settings say.

  Keys:    bbs(id), bbs_messages(id)
  Input:   id string, page integer, per integer?, oldest_first boolean
  Output:  record json, page integer, total integer, messages [json]
  Errors:  widget_not_found
  Include: active_widget, board
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
return board_view(record, page, per or record.settings.messagesPerPage, oldest_first)
