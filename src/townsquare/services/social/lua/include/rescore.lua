--[[
  rank(tag, now): score the posts of a tag again. Answers their ids, newest first, and times and scores by id.
  rescore(tag, now): score them and keep the order that readers page through.

  The work is bounded: the newest posts, and of those before them the best. What is too old leaves.

  Keys:    hashtag_posts(*), hashtag_weights(*), hashtag_ranked(*), hashtag_order(*, *), hashtag_scored(*)
  Include: score
]]
local AT_ONCE = 500

local function recent_posts(tag, now)
  local since = now - const.RANKED_MS
  local newest = redis.call('ZREVRANGEBYSCORE', key.hashtag_posts(tag), '+inf', since + 1, 'WITHSCORES', 'LIMIT', 0,
    const.RANKED_NEWEST)
  local ids, times = {}, {}
  for place = 1, #newest, 2 do
    local id = newest[place]
    ids[#ids + 1], times[id] = id, tonumber(newest[place + 1])
  end
  if #ids < const.RANKED_NEWEST then return ids, times end

  local older = {}
  for _, id in ipairs(redis.call('ZREVRANGE', key.hashtag_ranked(tag), 0, const.RANKED_BEST - 1)) do
    local at = not times[id] and tonumber(redis.call('ZSCORE', key.hashtag_posts(tag), id) or 0)
    if at and at > since then older[#older + 1], times[id] = id, at end
  end
  table.sort(older, function(one, other)
    if times[one] ~= times[other] then return times[one] > times[other] end
    return one > other
  end)
  for _, id in ipairs(older) do ids[#ids + 1] = id end
  return ids, times
end

local function rank(tag, now)
  local ids, times = recent_posts(tag, now)
  local scores = {}
  redis.call('DEL', key.hashtag_ranked(tag))
  for first = 1, #ids, AT_ONCE do
    local last = math.min(first + AT_ONCE - 1, #ids)
    local entries = {}
    for place, weight in ipairs(redis.call('ZMSCORE', key.hashtag_weights(tag), unpack(ids, first, last))) do
      local id = ids[first + place - 1]
      scores[id] = score_of(tonumber(weight or 0), times[id], now)
      entries[place * 2 - 1], entries[place * 2] = scores[id], id
    end
    redis.call('ZADD', key.hashtag_ranked(tag), unpack(entries))
  end
  return ids, times, scores
end

local function rescore(tag, now)
  local ids, times, scores = rank(tag, now)
  local order = {}
  for _, id in ipairs(ids) do
    if scores[id] > 0 then order[#order + 1] = id end
  end
  table.sort(order, function(one, other)
    if scores[one] ~= scores[other] then return scores[one] > scores[other] end
    if times[one] ~= times[other] then return times[one] > times[other] end
    return one > other
  end)
  for _, id in ipairs(ids) do  -- what nobody has liked is in its order already, newest first
    if scores[id] == 0 then order[#order + 1] = id end
  end

  local kept = key.hashtag_order(tag, now)
  redis.call('DEL', kept)
  for first = 1, #order, AT_ONCE do
    redis.call('RPUSH', kept, unpack(order, first, math.min(first + AT_ONCE - 1, #order)))
  end
  redis.call('EXPIRE', kept, lifetime.hashtag_order)
  if #order > 0 then redis.call('SET', key.hashtag_scored(tag), now, 'EX', lifetime.hashtag_scored) end
end
