--[[
  Set the number of upvotes of one comment of a user. The user's karma is the sum.

  Keys:   user(user_id), user_upvoted(user_id)
  Input:  user_id string, comment_id string, karma integer
]]
karma = tonumber(karma)  -- a deletion passes it as text
local upvoted = key.user_upvoted(user_id)
local before = tonumber(redis.call('ZSCORE', upvoted, comment_id) or 0)
if redis.call('EXISTS', key.user(user_id)) == 0 then return end
if karma > 0 then
  redis.call('ZADD', upvoted, karma, comment_id)
else
  redis.call('ZREM', upvoted, comment_id)
end
redis.call('HINCRBY', key.user(user_id), 'karma', karma - before)
