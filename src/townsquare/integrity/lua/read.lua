--[[
  read(command): the reply to one command, false for nil, errors as values. TOTAL is a command of our own:
  TOTAL key        the sum of the scores of a sorted set
  TOTAL key field  how many members of a sorted set are JSON objects in which this field is not true
]]
local PAGE = 1000

local function amount(member, score, field)
  if not field then return tonumber(score) end
  local parsed, document = pcall(cjson.decode, member)
  return parsed and type(document) == 'table' and document[field] ~= true and 1 or 0
end

local function total(key, field)
  local size, sum = redis.pcall('ZCARD', key), 0
  if type(size) == 'table' then return size end
  for first = 0, size - 1, PAGE do
    local page = redis.call('ZRANGE', key, first, first + PAGE - 1, 'WITHSCORES')
    for place = 1, #page, 2 do sum = sum + amount(page[place], page[place + 1], field) end
  end
  return string.format('%.17g', sum)
end

local function read(command)
  if command[1] == 'TOTAL' then return total(command[2], command[3]) end
  local reply = redis.pcall(unpack(command))
  if reply == nil then return false end
  return reply
end
