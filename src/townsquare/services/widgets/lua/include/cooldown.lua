--[[
  One accepted deed per visitor and span. The mark of a visitor holds the time of the deed and ends by
  itself; the waiting list leads a deletion to the marks, and is kept short here.

  waiting_ms(waiting, mark, visitor, now): how long this visitor still has to wait, or nil.
  begin_wait(waiting, mark_of, id, visitor, now, stamp, span): note a deed.
]]
local function waiting_ms(waiting, mark, visitor, now)
  if redis.call('EXISTS', mark) == 0 then return nil end
  local till = tonumber(redis.call('ZSCORE', waiting, visitor) or 0)
  if till > now then return string.format('%.0f', till - now) end
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
