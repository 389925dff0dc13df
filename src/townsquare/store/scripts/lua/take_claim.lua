--[[
  Reserve a unique value for a request.

  A temporary claim belongs to the request that took it. Another request of the same owner is refused too, so
  that a request that fails can release what it took. A claim that is too old to be used passes to the next
  request of its owner: the request that took it has died.

  Input:  KEYS[1] the index, ARGV[1] its owner, ARGV[2] the lifetime of a claim in ms, ARGV[3] the ms within which
          it must be used
  Output: fresh, ours or taken; the time in ms
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holder = redis.call('GET', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left > tonumber(ARGV[2]) then  -- the clock of Redis was set back
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
local abandoned = left >= 0 and left < ARGV[2] - 2 * ARGV[3]
if not holder or holder == ARGV[1] and abandoned then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {'fresh', now}
end
return {holder == ARGV[1] and left == -1 and 'ours' or 'taken', now}
