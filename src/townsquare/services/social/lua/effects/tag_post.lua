--[[
  A post that is shown has this tag and this weight now. Also after every like: then only scores change.

  Keys:    hashtag_posts(tag), hashtag_weights(tag), hashtag_ranked(tag)
  Effects: hashtags_trending()
  Input:   tag string, id string, created_at integer, weight integer, now integer
  Include: score, rescore, trend
]]
local RANKED_AT_MOST = 5000  -- of a tag that is written to and never read as ranked

local weights, ranked = key.hashtag_weights(tag), key.hashtag_ranked(tag)
local weighed = weight > 0 and redis.call('ZADD', weights, weight, id) == 0  -- before too, so it has the tag
local fresh = not weighed and redis.call('ZADD', key.hashtag_posts(tag), created_at, id) == 1
if weight == 0 and not fresh then redis.call('ZREM', weights, id) end
if now - created_at < const.RANKED_MS then
  redis.call('ZADD', ranked, score_of(weight, created_at, now), id)
elseif not fresh then
  redis.call('ZREM', ranked, id)
end
if fresh then
  if redis.call('ZCARD', ranked) > RANKED_AT_MOST then rank(tag, now) end
  update_trend(tag, now)
end
