--[[
  page(name, down, score, member, count): members of a sorted set with their scores, after the place that
  (score, member) has or would have: from there down or, without `down`, up. O(log² n + count).
]]
local function bytes_before(one, other)
  for place = 1, math.min(#one, #other) do
    local mine, its = string.byte(one, place), string.byte(other, place)
    if mine ~= its then return mine < its end
  end
  return #one < #other
end

local HALVINGS = 64  -- more than any set has members to halve

local function rank_where_it_would_be(name, down, score, member)
  local bound = string.format('%.17g', score)
  local from, to = '-inf', '(' .. bound
  if down then from, to = to, '+inf' end
  local low = redis.call('ZCOUNT', name, from, to)
  local high = low + redis.call('ZCOUNT', name, bound, bound)
  for _ = 1, HALVINGS do
    if low >= high then break end
    local middle = math.floor((low + high) / 2)
    local there = redis.call(down and 'ZREVRANGE' or 'ZRANGE', name, middle, middle)[1]
    if down and bytes_before(there, member) or not down and bytes_before(member, there) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function page(name, down, score, member, count)
  local first, kept = 0, score and redis.call('ZSCORE', name, member)
  if kept and tonumber(kept) == score then
    first = redis.call(down and 'ZREVRANK' or 'ZRANK', name, member) + 1
  elseif score then
    first = rank_where_it_would_be(name, down, score, member)
  end
  return redis.call(down and 'ZREVRANGE' or 'ZRANGE', name, first, first + count - 1, 'WITHSCORES')
end
