--[[
  A post that is shown has this tag and this weight now. Also after every like: then only scores change.

  Keys:    hashtag_posts(tag), hashtag_weights(tag), hashtag_ranked(tag)
  Effects: hashtags_trending()
  Input:   tag string, id string, created_at integer, weight integer, now integer
  Output:  nothing
  Include: score, rescore, trend
]]
local RANKED_AT_MOST = 5000  -- of a tag that is written to and never read as ranked

local fresh = redis.call('ZADD', key.hashtag_posts(tag), created_at, id)
if weight > 0 then
  redis.call('ZADD', key.hashtag_weights(tag), weight, id)
else
  redis.call('ZREM', key.hashtag_weights(tag), id)
end
if now - created_at < RANKED_MS then
  redis.call('ZADD', key.hashtag_ranked(tag), string.format('%.17g', score_of(weight, created_at, now)), id)
else
  redis.call('ZREM', key.hashtag_ranked(tag), id)
end
if fresh == 1 then
  if redis.call('ZCARD', key.hashtag_ranked(tag)) > RANKED_AT_MOST then rescore(tag, now) end
  trend(tag, now)
end
