--[[
  staying(name): whether the person exists and is not about to leave.

  Keys: person(*)
]]
local function staying(name)
  local found = redis.call('HMGET', key.person(name), 'name', 'deleting')
  return found[1] and not found[2]
end
