--[[
  Take one of the turns that a rolling window allows, or learn how long to wait for the next.

  Keys:   turns(per, who)
  Input:  per string, who string, turn string, now integer, window integer, most integer
  Output: taken boolean, wait integer
]]
local name = key.turns(per, who)
redis.call('ZREMRANGEBYSCORE', name, '-inf', now - window)
if redis.call('ZCARD', name) >= most then
  local oldest = redis.call('ZRANGE', name, 0, 0, 'WITHSCORES')
  return {0, tonumber(oldest[2]) + window - now}
end
redis.call('ZADD', name, now, turn)
redis.call('PEXPIRE', name, window)
return {1, 0}
