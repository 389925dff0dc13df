--[[
  One accepted action per visitor and span. The key of a visitor (`mark`) holds the time of the action and
  expires by itself; a deletion finds these keys by the sorted set `waiting`, which is kept short here.

  waiting_ms(waiting, mark, visitor, now, span): how long this visitor still has to wait, or nil.
  begin_wait(waiting, mark_of, id, visitor, now, stamp, span): note an action.

  Include: deadlines
]]
local function waiting_ms(waiting, mark, visitor, now, span)
  if redis.call('EXISTS', mark) == 0 then return nil end
  local left = ms_left(tonumber(redis.call('ZSCORE', waiting, visitor) or 0) - span, now, span)
  if left > 0 then return string.format('%.0f', left) end
end

local function begin_wait(waiting, mark_of, id, visitor, now, stamp, span)
  for _, over in ipairs(redis.call('ZRANGEBYSCORE', waiting, '-inf', now, 'LIMIT', 0, 100)) do
    redis.call('DEL', mark_of(id, over))
    redis.call('ZREM', waiting, over)
  end
  redis.call('SET', mark_of(id, visitor), stamp, 'PX', span)
  redis.call('ZADD', waiting, now + span, visitor)
  redis.call('PEXPIRE', waiting, span)
end
