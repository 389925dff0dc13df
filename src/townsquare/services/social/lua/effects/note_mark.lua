--[[
  The user's own side of a like, bookmark or report. Who is gone, or does not see the author, cannot make one.

  Keys:    user(username), liked(username), bookmarked(username), reported(username), blocking(username),
           blocked_by(username)
  Refused: drop_mark(id, username, kind, now)
  Input:   username string, id string, author string, kind string, now integer
  Errors:  profile_not_found, post_not_found
  Include: active_user
]]
if not active_user(username) then return refuse('profile_not_found') end
if redis.call('ZSCORE', key.blocking(username), author) or redis.call('ZSCORE', key.blocked_by(username), author) then
  return refuse('post_not_found')
end
local own = kind == 'like' and key.liked(username) or kind == 'bookmark' and key.bookmarked(username)
  or key.reported(username)
redis.call('ZADD', own, now, id)
