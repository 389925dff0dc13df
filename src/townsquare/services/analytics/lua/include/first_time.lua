--[[
  first_time(sources, source, sequence): whether this tally has not been counted here yet. A bucket hands
  its tallies over in order, so the last number tells of all before it.
]]
local function first_time(sources, source, sequence)
  if tonumber(redis.call('HGET', sources, source) or 0) >= tonumber(sequence) then return false end
  redis.call('HSET', sources, source, sequence)
  redis.call('EXPIRE', sources, const.SOURCES_SECONDS)
  return true
end
