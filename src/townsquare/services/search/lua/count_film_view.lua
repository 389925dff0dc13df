--[[
  Count a view of a film, once for each visitor and day.

  Keys:   views(day), viewers(day, film_id)
  Input:  day string, film_id integer, visitor string
  Output: count integer
]]
local viewers = key.viewers(day, film_id)
if redis.call('PFADD', viewers, visitor) == 1 then redis.call('EXPIRE', viewers, lifetime.viewers) end
local count = redis.call('PFCOUNT', viewers)
redis.call('ZADD', key.views(day), count, string.format('%.0f', film_id))
redis.call('EXPIRE', key.views(day), lifetime.views)
return count
