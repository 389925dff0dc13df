--[[
  Effects on a cluster: appended to the outbox of the bucket, in the same script as the write they
  follow from. A key of another home is {name, parameters...} here; the drainer renders it.
]]
local emitted = 0

local function hand_over(effect)
  for place, value in ipairs(effect) do
    if type(value) == 'number' then effect[place] = string.format('%.17g', value) end
  end
  emitted = emitted + 1
  return redis.call('XADD', OUTBOX, '*', 'effect', cjson.encode(effect))
end

local function emit(command, target, ...)
  hand_over({command, target, ...})
end
