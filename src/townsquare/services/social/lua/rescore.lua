--[[
  rescore(tag, now): score the posts of a tag again and keep the order that readers page through.

  The work is bounded: the newest 2,000 of the last two weeks, and of those before them the 500 that were
  best. What is older than two weeks leaves.

  Keys: hashtag_posts(*), hashtag_weights(*), hashtag_ranked(*), hashtag_order(*), hashtag_scored(*)
]]
local NEWEST, BEST = 2000, 500
local RANKED_SECONDS = 30
local AT_ONCE = 500

local function living_posts(tag, now)
  local since = now - RANKED_MS
  local newest = redis.call('ZREVRANGEBYSCORE', key.hashtag_posts(tag), '+inf', string.format('(%.0f', since),
    'WITHSCORES', 'LIMIT', 0, NEWEST)
  local posts, known = {}, {}
  for place = 1, #newest, 2 do
    posts[#posts + 1] = {id = newest[place], created_at = tonumber(newest[place + 1])}
    known[newest[place]] = true
  end
  if #posts < NEWEST then return posts end
  for _, id in ipairs(redis.call('ZREVRANGE', key.hashtag_ranked(tag), 0, BEST - 1)) do
    local created_at = tonumber(redis.call('ZSCORE', key.hashtag_posts(tag), id) or 0)
    if not known[id] and created_at > since then posts[#posts + 1] = {id = id, created_at = created_at} end
  end
  return posts
end

local function comes_before(one, other)
  if one.score ~= other.score then return one.score > other.score end
  if one.created_at ~= other.created_at then return one.created_at > other.created_at end
  return one.id > other.id
end

local function rescore(tag, now)
  local posts = living_posts(tag, now)
  for first = 1, #posts, AT_ONCE do
    local ids = {}
    for place = first, math.min(first + AT_ONCE - 1, #posts) do ids[#ids + 1] = posts[place].id end
    for offset, weight in ipairs(redis.call('ZMSCORE', key.hashtag_weights(tag), unpack(ids))) do
      local post = posts[first + offset - 1]
      post.score = score_of(tonumber(weight or 0), post.created_at, now)
    end
  end
  table.sort(posts, comes_before)

  redis.call('DEL', key.hashtag_ranked(tag), key.hashtag_order(tag))
  for first = 1, #posts, AT_ONCE do
    local order, scores = {}, {}
    for place = first, math.min(first + AT_ONCE - 1, #posts) do
      order[#order + 1] = posts[place].id
      scores[#scores + 1] = string.format('%.17g', posts[place].score)
      scores[#scores + 1] = posts[place].id
    end
    redis.call('RPUSH', key.hashtag_order(tag), unpack(order))
    redis.call('ZADD', key.hashtag_ranked(tag), unpack(scores))
  end
  redis.call('EXPIRE', key.hashtag_order(tag), RANKED_SECONDS)
  if #posts > 0 then redis.call('SET', key.hashtag_scored(tag), string.format('%.0f', now), 'EX', RANKED_SECONDS) end
end
