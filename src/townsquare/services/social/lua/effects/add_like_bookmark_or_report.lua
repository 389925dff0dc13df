--[[
  Add a post to the user's own list of likes, bookmarks or reports. Refused if the user is deleted, or if the user
  or the author blocks the other.

  Keys:    user(username), liked(username), bookmarked(username), reported(username), blocking(username),
           blocked_by(username)
  Refused: remove_like_bookmark_or_report(id, username, kind, now)
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
