--[[
  drop_before(name, time): remove what is older from a sorted set by time, at most twice as much as a
  batch adds.
]]
local function drop_before(name, time)
  local old = redis.call('ZRANGEBYSCORE', name, '-inf', '(' .. string.format('%.0f', time), 'LIMIT', 0,
    2 * const.BATCH_LENGTH)
  if #old > 0 then redis.call('ZREM', name, unpack(old)) end
end
