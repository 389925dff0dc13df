--[[
  rename_member(list, old, new): rename a member of a sorted set, if it exists. It keeps its score.
]]
local function rename_member(list, old, new)
  local score = redis.call('ZSCORE', list, old)
  if not score then return end
  redis.call('ZADD', list, score, new)
  redis.call('ZREM', list, old)
end
