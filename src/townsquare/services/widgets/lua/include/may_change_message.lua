--[[
  may_change_message(record, text, edit, owner, visitor): whether the hash of an edit token is that of the message,
  the owner's hash that of the board, or, where the board allows it, the visitor's hash that of the message's author.

  Keys: bbs_edits(*), bbs_owner(*)
]]
local function may_change_message(record, text, edit, owner, visitor)
  if owner then return redis.call('GET', key.bbs_owner(record.id)) == owner end
  local message = cjson.decode(text)
  if edit then return redis.call('HGET', key.bbs_edits(record.id), message.id) == edit end
  return visitor ~= nil and record.settings.editByUserHash ~= false and message.userHash == visitor
end
