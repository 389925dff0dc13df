--[[
  Read a page of a home feed that is built and not expired: posts older than `before`, with the user's state.

  Keys:    home_feed(username), home_state(username), liked(username), bookmarked(username), blocking(username),
           blocked_by(username), muting(username)
  Input:   username string, before integer?, before_id string?, count integer, now integer
  Output:  ready boolean, token string, complete boolean, floor integer, floor_id string, big string, ids string,
           scores string, marks json
  Include: viewer_state_of
]]
local token, began_at, ready, complete, floor, floor_id, big = unpack(redis.call('HMGET', key.home_state(username),
  'token', 'began_at', 'ready', 'complete', 'floor', 'floor_id', 'big'))
if not ready or math.abs(now - tonumber(began_at)) >= lifetime.home_state * 1000 then return {0, '', 0, 0, '', '', '', '', false} end

local feed, posts = key.home_feed(username), {}
local from = before and string.format('%.0f', before) or '+inf'
for skipped = 0, redis.call('ZCARD', feed), math.max(1, count) do
  local found = redis.call('ZREVRANGEBYSCORE', feed, from, '-inf', 'WITHSCORES', 'LIMIT', skipped, count)
  for place = 1, #found, 2 do
    local created_at = tonumber(found[place + 1])
    local below = not before or created_at < before or found[place] < before_id
    if below and #posts < 2 * count then
      posts[#posts + 1] = found[place]
      posts[#posts + 1] = found[place + 1]
    end
  end
  if #posts >= 2 * count or #found < 2 * count then break end
end
local ids, scores = ids_and_scores(posts)
return {1, token, tonumber(complete), tonumber(floor), floor_id, big, joined(ids), joined(scores),
  viewer_state_of(username, ids)}
