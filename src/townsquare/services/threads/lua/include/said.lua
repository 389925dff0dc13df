--[[
  note_text(user_id, comment_id, fingerprint): record the latest texts of an author, to detect duplicates.

  Keys: user_said(*)
]]
local function note_text(user_id, comment_id, fingerprint)
  local said = key.user_said(user_id)
  redis.call('LPUSH', said, fingerprint .. ' ' .. comment_id)
  redis.call('LTRIM', said, 0, const.SAID_KEPT - 1)
  redis.call('EXPIRE', said, lifetime.user_said)
end
