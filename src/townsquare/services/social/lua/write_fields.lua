--[[
  Change custom fields of a profile. `steps` are lists: HSET and names and values in turn, HDEL and names,
  HINCRBY and a name and a number, each of at most 200 words. All of them are possible, or none is done. A
  step that is not possible is named by its place in the list. With `dry_run` nothing is written.

  Keys:    user(username)
  Input:   username string, steps json, dry_run boolean
  Output:  [integer] what Redis answers to each
  Errors:  profile_not_found, not_a_number, bad_profile_field
  Include: active_user, field_limit
]]
local LARGEST = 2 ^ 53 - 1 -- numbers of Lua are exact up to here

if not active_user(username) then return refuse('profile_not_found') end
local name, known = key.user(username), {}
local function value_of(field)
  if known[field] == nil then known[field] = redis.call('HGET', name, field) end
  return known[field]
end
for at, step in ipairs(steps) do
  if step[1] == 'HSET' then
    for place = 2, #step, 2 do known[step[place]] = step[place + 1] end
  elseif step[1] == 'HDEL' then
    for place = 2, #step do known[step[place]] = false end
  else
    local before = value_of(step[2]) or '0'
    if before ~= '0' and not string.find(before, '^-?[1-9]%d*$') then return refuse('not_a_number', tostring(at)) end
    local after = tonumber(before) + tonumber(step[3])
    if math.abs(tonumber(before)) > LARGEST or math.abs(after) > LARGEST then return refuse('not_a_number', tostring(at)) end
    known[step[2]] = string.format('%.0f', after)
  end
end

local set, removed = {}, {}
for field, value in pairs(known) do
  if value then
    set[#set + 1], set[#set + 2] = field, value
  else
    removed[#removed + 1] = field
  end
end
if not within_field_limit(name, set, removed) then
  return refuse('bad_profile_field', 'A profile has at most ' .. const.FIELDS .. ' fields')
end

if dry_run then return {} end
local answers = {}
for place, step in ipairs(steps) do answers[place] = redis.call(step[1], name, unpack(step, 2)) end
return answers
