--[[
  Ids of a user's recent comments with the same text, the newest first.

  Keys:    user_texts(user_id)
  Input:   user_id string, fingerprint string
  Output:  ids [string]
]]
local ids = {}
local texts = redis.call('LRANGE', key.user_texts(user_id), 0, -1)  -- bounded: as many as `note_text` keeps
if string.find(table.concat(texts, ' '), fingerprint, 1, true) then
  for _, one in ipairs(texts) do
    if string.find(one, fingerprint, 1, true) == 1 then ids[#ids + 1] = string.sub(one, #fingerprint + 2) end
  end
end
return ids
