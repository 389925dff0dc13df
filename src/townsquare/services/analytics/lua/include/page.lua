--[[
  page(name, score, member, count): members of a sorted set from the highest score down, with scores,
  after the place that (score, member) has or would have. O(log² n + count), whatever moved in between.
]]
local function bytes_before(one, other)
  for place = 1, math.min(#one, #other) do
    local mine, its = string.byte(one, place), string.byte(other, place)
    if mine ~= its then return mine < its end
  end
  return #one < #other
end

local function place_after(name, score, member)
  local bound = string.format('%.17g', score)
  local low = redis.call('ZCOUNT', name, '(' .. bound, '+inf')
  local high = redis.call('ZCOUNT', name, bound, '+inf')
  while low < high do
    local middle = math.floor((low + high) / 2)
    if bytes_before(redis.call('ZREVRANGE', name, middle, middle)[1], member) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function page(name, score, member, count)
  local first = score and place_after(name, score, member) or 0
  return redis.call('ZREVRANGE', name, first, first + count - 1, 'WITHSCORES')
end
