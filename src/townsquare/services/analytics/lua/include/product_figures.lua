--[[
  set_rating(name, actor, stars): what an actor gives a product (0: no more), and what follows from it.
  set_wish(name, actor, wished): whether an actor has a product on the wishlist.

  Keys:    product(*), rated_by(*), wishlisted_by(*)
  Effects: top(*)
]]
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

local function set_rating(name, actor, stars)
  local its, raters = figures(name), key.rated_by(name)
  local before = tonumber(redis.call('ZSCORE', raters, actor) or 0)
  if stars > 0 then redis.call('ZADD', raters, stars, actor) else redis.call('ZREM', raters, actor) end
  its.ratings, its.sum = redis.call('ZCARD', raters), its.sum + stars - before
  keep(name, its)
  rank('rated', name, its.ratings, (its.sum + const.STARS_PRIOR) / (its.ratings + const.RATING_PRIOR))
end

local function set_wish(name, actor, wished)
  local its = figures(name)
  redis.call(wished and 'SADD' or 'SREM', key.wishlisted_by(name), actor)
  its.wishlists = redis.call('SCARD', key.wishlisted_by(name))
  keep(name, its)
  rank('wishlisted', name, its.wishlists, its.wishlists)
end
