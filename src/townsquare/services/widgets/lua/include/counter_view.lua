--[[
  total_of(id): all visits.
  counts_of(id, days): the count of each day.
  counter_view(record, days): {timezone, url, total, last visit, today, yesterday, week, month, webhook}, of a
  month of days, the newest first.

  Keys: counter_total(*), counter_daily(*, *)
]]
local function total_of(id)
  return tonumber(redis.call('GET', key.counter_total(id)) or 0)
end

local function counts_of(id, days)
  local names = {}
  for place, day in ipairs(days) do names[place] = key.counter_daily(id, day) end
  local counts = redis.call('MGET', unpack(names))
  for place, count in ipairs(counts) do counts[place] = tonumber(count or 0) end
  return counts
end

local function counter_view(record, days)
  local counts, week, month = counts_of(record.id, days), 0, 0
  for place, count in ipairs(counts) do
    if place <= const.WEEK then week = week + count end
    month = month + count
  end
  return {
    record.timezone, record.url, total_of(record.id), present(record.lastVisit),
    counts[1], counts[2], week, month, present(record.webhook),
  }
end
