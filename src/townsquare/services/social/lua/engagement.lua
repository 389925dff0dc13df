--[[
  weigh(username, id, weight): the engagement of one shown post of this author, and with it the total.

  Keys:    user(*), user_engagement(*)
  Effects: models_top()
]]
local function weigh(username, id, weight)
  local before = tonumber(redis.call('ZSCORE', key.user_engagement(username), id) or 0)
  if weight == before then return end
  if weight > 0 then
    redis.call('ZADD', key.user_engagement(username), weight, id)
  else
    redis.call('ZREM', key.user_engagement(username), id)
  end
  local total = redis.call('HINCRBY', key.user(username), 'engagement', string.format('%.0f', weight - before))
  local role, deleting = unpack(redis.call('HMGET', key.user(username), 'role', 'deleting'))
  if role == 'model' and not deleting then emit('ZADD', key.models_top(), total, username) end
end
