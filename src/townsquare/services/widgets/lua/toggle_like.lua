--[[
  Like, or take the like back, once per visitor and day. `timezone` is the one that the caller believes the
  button to be in; if it is in another, nothing changes.

  Keys:    like(id), like_total(id), like_user(id, visitor), like_visitors(id)
  Input:   id string, visitor string, timezone string, now string, ttl integer
  Output:  timezone string, url string, total integer, liked boolean, icon string, last_like string?, webhook string?
  Errors:  widget_not_found
  Include: active_widget, like_view
]]
local record = active_widget(key.like(id))
if not record then return refuse('widget_not_found') end

local liked = redis.call('GET', key.like_user(id, visitor)) == 'true'
if record.timezone ~= timezone then return like_view(record, liked) end

liked = not liked
local total = math.max(0, tonumber(redis.call('GET', key.like_total(id)) or 0) + (liked and 1 or -1))
redis.call('SET', key.like_user(id, visitor), liked and 'true' or 'false', 'PX', ttl)
redis.call('SADD', key.like_visitors(id), visitor)
redis.call('PEXPIRE', key.like_visitors(id), ttl)
redis.call('SET', key.like_total(id), string.format('%.0f', total))
record.totalLikes = total
if liked then record.lastLike = now end
redis.call('SET', key.like(id), cjson.encode(record))
return like_view(record, liked)
