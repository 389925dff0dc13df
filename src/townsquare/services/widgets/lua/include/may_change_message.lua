--[[
  may_change_message(id, message_id, edit, owner): whether the hash of an edit token is that of the message, or the
  owner's hash that of the board.

  Keys: bbs_edits(*), bbs_owner(*)
]]
local function may_change_message(id, message_id, edit, owner)
  if owner then return redis.call('GET', key.bbs_owner(id)) == owner end
  return edit ~= nil and redis.call('HGET', key.bbs_edits(id), message_id) == edit
end
