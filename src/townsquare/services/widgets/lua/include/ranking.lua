--[[
  The entries of a ranking. A member is `{name}:{unique id}`; unique ids have one width and grow, so that among
  equal scores the smaller is the earlier. Equal scores are few or at most as many as a ranking keeps.

  put_entry(record, name, score, display, created): enter a name, instead of the entry that it has.
  drop_entry(record, member): remove one entry.
  trim_ranking(record): remove the last places until maxEntries are left.
  save_ranking(record): write the record with the number of entries.
  rank_of(record, member): its place, counted from 1.
  worst_score(record): the worst score.
  ranking_view(record, limit): {url, sort order, max entries, total, last submit, meta, rows, webhook},
  a row being {name, score, note}.

  Keys: ranking(*), ranking_scores(*), ranking_entries(*), ranking_meta(*)
]]
local BEST_FIRST = {asc = 'ZRANGE', desc = 'ZREVRANGE'}
local WORST_FIRST = {asc = 'ZREVRANGE', desc = 'ZRANGE'}

local function name_of(member) return string.match(member, '^(.*):[^:]*$') end
local function unique_id(member) return string.match(member, '[^:]*$') end
local function tied_with(record, score)
  return redis.call('ZRANGEBYSCORE', key.ranking_scores(record.id), score, score)  -- bounded: maxEntries
end

local function drop_entry(record, member)
  redis.call('ZREM', key.ranking_scores(record.id), member)
  redis.call('HDEL', key.ranking_entries(record.id), name_of(member))
end

local function put_entry(record, name, score, display, created)
  local known = redis.call('HGET', key.ranking_entries(record.id), name)
  if known then drop_entry(record, cjson.decode(known).member) end
  record.entered = record.entered + 1
  local member = name .. ':' .. string.format('%012.0f', record.entered)
  redis.call('ZADD', key.ranking_scores(record.id), string.format('%.17g', score), member)
  redis.call('HSET', key.ranking_entries(record.id), name,
    cjson.encode({member = member, displayScore = display, createdAt = created}))
  return member
end

local function trim_ranking(record)
  local scores = key.ranking_scores(record.id)
  local excess = redis.call('ZCARD', scores) - record.maxEntries
  if excess <= 0 then return end
  local worst = redis.call(WORST_FIRST[record.sortOrder], scores, 0, excess - 1, 'WITHSCORES')
  local edge, gone = worst[#worst], {}
  for place = 1, #worst, 2 do
    if worst[place + 1] ~= edge then gone[#gone + 1] = worst[place] end
  end
  local tied = tied_with(record, edge)
  table.sort(tied, function(one, other) return unique_id(one) > unique_id(other) end)
  for place = 1, excess - #gone do gone[#gone + 1] = tied[place] end
  for _, member in ipairs(gone) do drop_entry(record, member) end
end

local function save_ranking(record)
  record.totalEntries = redis.call('ZCARD', key.ranking_scores(record.id))
  redis.call('SET', key.ranking(record.id), cjson.encode(record))
end

local function rank_of(record, member)
  local score = redis.call('ZSCORE', key.ranking_scores(record.id), member)
  if not score then return 0 end
  local from, to = '(' .. score, '+inf'
  if record.sortOrder == 'asc' then from, to = '-inf', '(' .. score end
  local rank = redis.call('ZCOUNT', key.ranking_scores(record.id), from, to) + 1
  for _, other in ipairs(tied_with(record, score)) do
    if unique_id(other) < unique_id(member) then rank = rank + 1 end
  end
  return rank
end

local function worst_score(record)
  local worst = redis.call(WORST_FIRST[record.sortOrder], key.ranking_scores(record.id), 0, 0, 'WITHSCORES')
  return tonumber(worst[2])
end

local function best(record, limit)
  local found = redis.call(BEST_FIRST[record.sortOrder], key.ranking_scores(record.id), 0, limit - 1, 'WITHSCORES')
  local edge, full, rows = found[#found], #found == 2 * limit, {}
  for place = 1, #found, 2 do
    if not (full and found[place + 1] == edge) then rows[#rows + 1] = {found[place], found[place + 1]} end
  end
  if full then
    for _, member in ipairs(tied_with(record, edge)) do rows[#rows + 1] = {member, edge} end
  end
  local asc = record.sortOrder == 'asc'
  table.sort(rows, function(one, other)
    if one[2] == other[2] then return unique_id(one[1]) < unique_id(other[1]) end
    return (tonumber(one[2]) < tonumber(other[2])) == asc
  end)
  for place = #rows, limit + 1, -1 do rows[place] = nil end
  return rows
end

local function ranking_view(record, limit)
  local rows, names = best(record, limit), {}
  for place, row in ipairs(rows) do names[place] = name_of(row[1]) end
  if #names > 0 then
    local notes = redis.call('HMGET', key.ranking_entries(record.id), unpack(names))
    for place, row in ipairs(rows) do rows[place] = {names[place], row[2], notes[place]} end
  end
  return {
    record.url, record.sortOrder, record.maxEntries, redis.call('ZCARD', key.ranking_scores(record.id)),
    present(record.lastSubmit), redis.call('GET', key.ranking_meta(record.id)), rows, present(record.webhook),
  }
end
