--[[
  Count views of products on one shelf, and note what an actor rates (0 stars: no more) and wishes for.

  Keys:    shelf_sources(shelf), views(*), product(*), rated_by(*), wishlisted_by(*)
  Effects: top(*)
  Include: first_time
  Input:   shelf integer, source string, sequence string, actor string, counts json, stars json, wishes json
]]
if not first_time(key.shelf_sources(shelf), source, sequence) then return end

for name, count in pairs(counts) do
  emit('ZADD', key.top('viewed'), 'GT', redis.call('INCRBY', key.views(name), count), name)
end

local function figures(name)
  local found = redis.call('HMGET', key.product(name), 'ratings', 'rating_sum', 'wishlists')
  return {ratings = tonumber(found[1] or 0), sum = tonumber(found[2] or 0), wishlists = tonumber(found[3] or 0)}
end

local function keep(name, its)
  if its.ratings == 0 and its.wishlists == 0 then
    redis.call('DEL', key.product(name))
  else
    redis.call('HSET', key.product(name), 'ratings', its.ratings, 'rating_sum', its.sum, 'wishlists', its.wishlists)
  end
end

local function rank(ranking, name, count, score)
  if count > 0 then emit('ZADD', key.top(ranking), score, name) else emit('ZREM', key.top(ranking), name) end
end

for name, given in pairs(stars) do
  local its, raters = figures(name), key.rated_by(name)
  local before = tonumber(redis.call('ZSCORE', raters, actor) or 0)
  if given > 0 then redis.call('ZADD', raters, given, actor) else redis.call('ZREM', raters, actor) end
  its.ratings, its.sum = redis.call('ZCARD', raters), its.sum + given - before
  keep(name, its)
  rank('rated', name, its.ratings, (its.sum + const.STARS_PRIOR) / (its.ratings + const.RATING_PRIOR))
end

for name, wished in pairs(wishes) do
  local its = figures(name)
  redis.call(wished == 1 and 'SADD' or 'SREM', key.wishlisted_by(name), actor)
  its.wishlists = redis.call('SCARD', key.wishlisted_by(name))
  keep(name, its)
  rank('wishlisted', name, its.wishlists, its.wishlists)
end
