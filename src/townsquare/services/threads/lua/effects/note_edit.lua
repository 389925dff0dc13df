--[[
  Record the new text of a comment, to detect duplicates.

  Keys:    user(user_id), user_texts(user_id)
  Input:   user_id string, comment_id string, fingerprint string
  Include: recent_texts
]]
if redis.call('EXISTS', key.user(user_id)) == 1 then note_text(user_id, comment_id, fingerprint) end
