--[[
  Count a code sent for an address in a rolling window; if there were too many, return the time to wait.

  Keys:   code_sends(who)
  Input:  who string, send string, now integer, window integer, most integer
  Output: allowed boolean, wait integer
  Include: deadlines
]]
local name = key.code_sends(who)
drop_outside(name, now, window)
if redis.call('ZCARD', name) >= most then
  local oldest = redis.call('ZRANGE', name, 0, 0, 'WITHSCORES')
  return {0, ms_left(oldest[2], now, window)}
end
redis.call('ZADD', name, now, send)
redis.call('PEXPIRE', name, window)
return {1, 0}
