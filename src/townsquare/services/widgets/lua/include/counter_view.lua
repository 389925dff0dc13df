--[[
  counter_view(record, days): {timezone, url, total, last visit, count of each day, webhook}.

  Keys: counter_total(*), counter_daily(*, *)
]]
local function counter_view(record, days)
  local names = {}
  for place, day in ipairs(days) do names[place] = key.counter_daily(record.id, day) end
  local counts = redis.call('MGET', unpack(names))
  for place, count in ipairs(counts) do counts[place] = tonumber(count or 0) end
  return {
    record.timezone, record.url, tonumber(redis.call('GET', key.counter_total(record.id)) or 0),
    present(record.lastVisit), counts, present(record.webhook),
  }
end
