--[[
  The ids of a user's latest comments of one text, the newest first.

  Keys:    user_said(user_id)
  Input:   user_id string, fingerprint string
  Output:  ids [string]
]]
local ids = {}
local said = redis.call('LRANGE', key.user_said(user_id), 0, -1)  -- bounded: as many as `note_text` keeps
if string.find(table.concat(said, ' '), fingerprint, 1, true) then
  for _, one in ipairs(said) do
    if string.find(one, fingerprint, 1, true) == 1 then ids[#ids + 1] = string.sub(one, #fingerprint + 2) end
  end
end
return ids
