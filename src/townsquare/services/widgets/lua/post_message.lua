--[[
  Put a message on top of a board. `revision` is that of the settings by which it was found acceptable.

  Keys:    bbs(id), bbs_messages(id), bbs_edits(id), bbs_post(id, visitor), bbs_posters(id)
  Input:   id string, visitor string, message_id string, message string, edit string, revision integer,
           now integer, stamp string
  Output:  record json, page integer, total integer, messages [json]
  Errors:  widget_not_found, cooldown, board_changed
  Include: active_widget, board, cooldown, idempotency
]]
local record = active_widget(key.bbs(id))
if not record then return refuse('widget_not_found') end
local left = waiting_ms(key.bbs_posters(id), key.bbs_post(id, visitor), visitor, now, lifetime.bbs_post * 1000)
if left then return refuse('cooldown', left) end
if record.revision ~= revision then return refuse('board_changed') end

redis.call('LPUSH', key.bbs_messages(id), message)
redis.call('HSET', key.bbs_edits(id), message_id, edit)
trim_board(record)
record.lastMessage = stamp
save_board(record)
begin_wait(key.bbs_posters(id), key.bbs_post, id, visitor, now, stamp, lifetime.bbs_post * 1000)
remember_result(message_id)
return board_view(record, 1, record.settings.messagesPerPage)
