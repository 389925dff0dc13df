--[[
  living(name): the decoded record of a widget that exists and is not being deleted, or nil.
  given(value): a field's value, or false where JSON has null or nothing.
]]
local function given(value)
  if value == nil or value == cjson.null then return false end
  return value
end

local function living(name)
  local text = redis.call('GET', name)
  if not text then return nil end
  local record = cjson.decode(text)
  if given(record.deleting) then return nil end
  return record
end
