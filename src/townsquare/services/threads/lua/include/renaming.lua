--[[
  rename_member(list, old, new): a member of a sorted set has another name, if it is there, and keeps its score.
]]
local function rename_member(list, old, new)
  local score = redis.call('ZSCORE', list, old)
  if not score then return end
  redis.call('ZADD', list, score, new)
  redis.call('ZREM', list, old)
end
