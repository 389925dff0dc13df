--[[
  Take up to `amount` calls from what a limit still allows in this window.

  Keys:   system.ratelimit(per, name, who, window)
  Input:  per string, name string, who string, window integer, count integer, amount integer, seconds integer
  Output: granted integer, remaining integer
]]
local counter = key.ratelimit(per, name, who, window)
local used = tonumber(redis.call('GET', counter) or 0)
local granted = math.max(0, math.min(amount, count - used))
if granted > 0 then
  redis.call('INCRBY', counter, granted)
  if used == 0 then redis.call('EXPIRE', counter, seconds * 2) end
end
return {granted, count - used - granted}
