--[[
  Add a comment to the lists of its author. Refused if the author does not exist or is banned.

  Keys:    user(user_id), user_comments(user_id), user_texts(user_id)
  Refused: withdraw_comment(comment_id)
  Input:   user_id string, comment_id string, created_at integer, fingerprint string
  Errors:  commenter_not_found, banned
  Include: recent_texts
]]
local id, banned, deleting = unpack(redis.call('HMGET', key.user(user_id), 'id', 'global_banned', 'deleting'))
if not id or deleting then return refuse('commenter_not_found') end
if banned == 'true' then return refuse('banned') end
redis.call('ZADD', key.user_comments(user_id), created_at, comment_id)
note_text(user_id, comment_id, fingerprint)
