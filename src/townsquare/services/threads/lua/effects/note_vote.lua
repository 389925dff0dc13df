--[[
  Add a vote to the lists of its voter: 1, -1, or 0 to remove it. Refused if the voter does not exist or is banned.

  Keys:    user(user_id), user_votes(user_id)
  Refused: drop_vote(comment_id, user_id)
  Input:   user_id string, comment_id string, direction integer
  Errors:  commenter_not_found, banned
]]
local id, banned, deleting = unpack(redis.call('HMGET', key.user(user_id), 'id', 'global_banned', 'deleting'))
if not id or deleting then return refuse('commenter_not_found') end
if banned == 'true' then return refuse('banned') end
if direction == 0 then
  redis.call('ZREM', key.user_votes(user_id), comment_id)
else
  redis.call('ZADD', key.user_votes(user_id), direction, comment_id)
end
