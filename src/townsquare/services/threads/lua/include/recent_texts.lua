--[[
  note_text(user_id, comment_id, fingerprint): record the latest texts of an author, to detect duplicates.

  Keys: user_texts(*)
]]
local function note_text(user_id, comment_id, fingerprint)
  local texts = key.user_texts(user_id)
  redis.call('LPUSH', texts, fingerprint .. ' ' .. comment_id)
  redis.call('LTRIM', texts, 0, const.TEXTS_KEPT - 1)
  redis.call('EXPIRE', texts, lifetime.user_texts)
end
