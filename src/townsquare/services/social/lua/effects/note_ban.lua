--[[
  The moderator's own side of a ban. The ban of somebody who has no profile stands, without the name.

  Keys:    user(username), moderated(username)
  Runs:    remove_moderator
  Input:   username string, id string, at integer
  Include: active_user
]]
if active_user(username) then
  redis.call('ZADD', key.moderated(username), string.format('%.0f', at), id)
else
  run.remove_moderator(id, username)
end
