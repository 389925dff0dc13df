--[[
  active_widget(name): the decoded record of a widget that exists and is not being deleted, or nil.
  present(value): a field's value, or false where JSON has null or nothing.
]]
local function present(value)
  if value == nil or value == cjson.null then return false end
  return value
end

local function active_widget(name)
  local text = redis.call('GET', name)
  if not text then return nil end
  local record = cjson.decode(text)
  if present(record.deleting) then return nil end
  return record
end
