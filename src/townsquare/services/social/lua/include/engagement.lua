--[[
  set_engagement(username, id, weight, role): set the weight of one shown post of this author, and the total.
  `role` is false for an author who is being deleted: the leaderboard has active models only.

  Keys:    user(*), user_engagement(*)
  Effects: models_top()
]]
local function set_engagement(username, id, weight, role)
  local weights = key.user_engagement(username)
  local before = tonumber(redis.call('ZSCORE', weights, id) or 0)
  if weight == before then return end
  if weight > 0 then
    redis.call('ZADD', weights, weight, id)
  else
    redis.call('ZREM', weights, id)
  end
  local total = redis.call('HINCRBY', key.user(username), 'engagement', weight - before)
  if role == 'model' then emit('ZADD', key.models_top(), total, username) end
end
