--[[
  A page of users, newest first, after the one that the last page ended with, whether or not it is still
  there. Users of the same millisecond are found by halving.

  Keys:   users_by(by, value)
  Input:  by string, value string, limit integer, created integer?, after string?
  Output: a list of id string, created integer
]]
local name = key.users_by(by, value)
local first = 0
if after then
  local score = string.format('%.0f', created)
  first = redis.call('ZCOUNT', name, '(' .. score, '+inf')
  local last = first + redis.call('ZCOUNT', name, score, score)
  while first < last do
    local middle = math.floor((first + last) / 2)
    if redis.call('ZREVRANGE', name, middle, middle)[1] >= after then first = middle + 1 else last = middle end
  end
end

local found = redis.call('ZREVRANGE', name, first, first + limit - 1, 'WITHSCORES')
local page = {}
for place = 1, #found, 2 do page[#page + 1] = {found[place], found[place + 1]} end
return page
