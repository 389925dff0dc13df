--[[
  Store the users that a process has on a page. Remove users of crashed processes and expired typing signals; without
  a process, do only that.

  Keys:   page_presence(page_id), page_presence_of(page_id, *), page_presence_seen(page_id),
          page_typing(page_id), page_channel(page_id)
  Input:  page_id string, process string?, users [string], now integer
  Output: changed boolean
  Include: deadlines
]]
local present, processes = key.page_presence(page_id), key.page_presence_seen(page_id)
local left = {}
local function forget(name)
  -- bounded: the connections of one process
  for _, user_id in ipairs(redis.call('SMEMBERS', key.page_presence_of(page_id, name))) do left[user_id] = true end
  redis.call('DEL', key.page_presence_of(page_id, name))
  redis.call('ZREM', processes, name)
end

local seen = redis.call('ZRANGE', processes, 0, -1, 'WITHSCORES')  -- bounded: server processes
for place = 1, #seen, 2 do
  if ms_left(seen[place + 1], now, const.PRESENCE_MS) == 0 then forget(seen[place]) end
end
local changed = 0
if process then
  forget(process)
  local ours = key.page_presence_of(page_id, process)
  for _, user_id in ipairs(users) do
    redis.call('SADD', ours, user_id)
    changed = changed + redis.call('SADD', present, user_id)
  end
  if #users > 0 then
    redis.call('EXPIRE', ours, lifetime.page_presence_of)
    redis.call('ZADD', processes, now, process)
  end
end

local others = redis.call('ZRANGE', processes, 0, -1)  -- bounded: server processes
for user_id in pairs(left) do
  local here = false
  for _, name in ipairs(others) do
    here = here or redis.call('SISMEMBER', key.page_presence_of(page_id, name), user_id) == 1
  end
  if not here then changed = changed + redis.call('SREM', present, user_id) end
end
if #others == 0 then changed = changed + redis.call('DEL', present) end
drop_outside(key.page_typing(page_id), now, const.TYPING_MS)
if changed > 0 then redis.call('PUBLISH', key.page_channel(page_id), cjson.encode({type = 'presence'})) end
return changed > 0 and 1 or 0
