--[[
  set_pin(id, comment, pinned, now): pin or unpin a comment. Returns the time of the pin, 0 if unpinned, nil if the page
  has too many.

  Keys: comment(*), page_pinned(*)
]]
local function set_pin(id, comment, pinned, now)
  local pins = key.page_pinned(comment.page_id)
  if not pinned then
    redis.call('HDEL', key.comment(id), 'pinned_at')
    redis.call('ZREM', pins, id)
    return 0
  end
  if redis.call('ZCARD', pins) >= const.PINNED then return nil end
  redis.call('HSET', key.comment(id), 'pinned_at', now)
  redis.call('ZADD', pins, now, id)
  return now
end
