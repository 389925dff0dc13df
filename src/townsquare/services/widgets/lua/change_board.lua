--[[
  Replace the settings, if they are still those that the caller has read; the oldest messages go if the
  board keeps fewer.

  Keys:    bbs(id), bbs_messages(id), bbs_edits(id), bbs_owner(id)
  Input:   id string, owner string, settings json, revision integer
  Errors:  widget_not_found, wrong_token, board_changed
  Include: active_widget, board
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.bbs_owner(id)) ~= owner then return refuse('wrong_token') end
if record.revision ~= revision then return refuse('board_changed') end

record.settings = settings
record.revision = revision + 1
trim_board(record)
save_board(record)
