--[[
  take_from_set(name, count), take_from_sorted_set(name, count): up to so many members, taken out.
  field_in(document, name): a field of a document that may be absent.
  values_in(field): the values of a field that may hold none, one or several.
  mark_in_json(name), mark_json(name, job): the job that deletes a record which is kept as JSON.
]]
local function take_from_set(name, count)
  if count <= 0 then return {} end
  return redis.call('SPOP', name, count)
end

local function take_from_sorted_set(name, count)
  if count <= 0 then return {} end
  local members, found = {}, redis.call('ZPOPMIN', name, count)
  for place = 1, #found, 2 do members[#members + 1] = found[place] end
  return members
end

local function field_in(document, name)
  return type(document) == 'table' and document[name] or nil
end

local function values_in(field)
  if not field or field == cjson.null or field == '' then return {} end
  return type(field) == 'table' and field or {field}
end

local function mark_in_json(name)
  local text = redis.call('GET', name)
  local mark = text and cjson.decode(text).deleting
  return mark ~= cjson.null and mark
end

local function mark_json(name, job)  -- as text: decoded and encoded again, an empty list would become an object
  local text, mark = redis.call('GET', name), '"deleting":"' .. job .. '"'
  local marked, count = string.gsub(text, '"deleting":null', mark, 1)
  if count == 0 then marked = string.gsub(text, '^{', text == '{}' and '{' .. mark or '{' .. mark .. ',', 1) end
  redis.call('SET', name, marked, 'KEEPTTL')
end
