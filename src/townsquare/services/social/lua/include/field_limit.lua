--[[
  within_field_limit(name, set, removed): whether a profile has few enough fields after a change. One that has too
  many already may be changed, but not get more. `set` are names and values in turn, `removed` are names.
]]
local function within_field_limit(name, set, removed)
  local before, there = redis.call('HLEN', name), {}
  for place = 1, #set, 2 do there[set[place]] = true end
  for _, field in ipairs(removed) do there[field] = false end
  local after = before
  for field, stays in pairs(there) do
    local known = redis.call('HEXISTS', name, field) == 1
    if stays and not known then after = after + 1 end
    if known and not stays then after = after - 1 end
  end
  return after <= math.max(before, const.FIELDS)
end
