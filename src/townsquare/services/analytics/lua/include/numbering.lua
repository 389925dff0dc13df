--[[
  numbering(source, now): two functions. The first gives each tally of this bucket the next number, the
  second keeps the last one. The clock is part of it, so that a number that a crash has lost is not given
  again.

  Keys: sequence(*)
]]
local function numbering(source, now)
  local last = tonumber(redis.call('GET', key.sequence(source)) or 0)
  local function number()
    last = math.max(last + 1, now * 1000)
    return string.format('%.0f', last)
  end
  local function keep()
    redis.call('SET', key.sequence(source), string.format('%.0f', last))
  end
  return number, keep
end
