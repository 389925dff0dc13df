--[[
  Count views, search terms and (for a day) events by kind and hour in one period.

  Keys:    period_sources(period), top_in(*, period), hours(*)
  Include: first_time
  Input:   period string, source string, sequence string, ttl integer, hours_ttl integer, counts json,
           terms json, kinds json
]]
if not first_time(key.period_sources(period), source, sequence) then return end

local function add(ranking, found)
  local name = key.top_in(ranking, period)
  for member, count in pairs(found) do redis.call('ZINCRBY', name, count, member) end
  if next(found) then redis.call('PEXPIRE', name, ttl) end
end

add('viewed', counts)
add('terms', terms)
for field, count in pairs(kinds) do redis.call('HINCRBY', key.hours(period), field, count) end
if next(kinds) then redis.call('PEXPIRE', key.hours(period), hours_ttl) end
