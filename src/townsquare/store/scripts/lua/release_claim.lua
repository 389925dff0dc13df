--[[
  Give a temporary claim back, unless a later request has taken it over: then it expires later.

  Input: KEYS[1] the index, ARGV[1] its owner, ARGV[2] the time in ms at which the claim expires
]]
local time = redis.call('TIME')
local left = redis.call('PTTL', KEYS[1])
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + left
if redis.call('GET', KEYS[1]) == ARGV[1] and left > 0 and ends < tonumber(ARGV[2]) + 1000 then
  return redis.call('DEL', KEYS[1])
end
return 0
