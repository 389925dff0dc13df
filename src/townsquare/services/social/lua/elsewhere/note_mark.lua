--[[
  The user's own side of a like, bookmark or report. Who is gone, or does not see the author, did not
  make it: it is taken back.

  Keys:    user(username), liked(username), bookmarked(username), reported(username), blocking(username),
           blocked_by(username)
  Runs:    drop_mark
  Input:   username string, id string, author string, kind string, now integer
  Output:  outcome string (kept, nobody, hidden)
  Include: active_user
]]
local outcome = 'kept'
if not active_user(username) then
  outcome = 'nobody'
elseif redis.call('ZSCORE', key.blocking(username), author) or redis.call('ZSCORE', key.blocked_by(username), author) then
  outcome = 'hidden'
end
if outcome ~= 'kept' then
  run.drop_mark(id, username, kind, now)
  return outcome
end
local own = kind == 'like' and key.liked(username) or kind == 'bookmark' and key.bookmarked(username)
  or key.reported(username)
redis.call('ZADD', own, now, id)
return outcome
