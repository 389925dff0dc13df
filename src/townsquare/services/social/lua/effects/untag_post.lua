--[[
  A post does not have this tag any more, or is not shown.

  Keys:    hashtag_posts(tag), hashtag_weights(tag), hashtag_ranked(tag)
  Effects: hashtags_trending()
  Input:   tag string, id string, now integer
  Include: trend
]]
redis.call('ZREM', key.hashtag_weights(tag), id)
redis.call('ZREM', key.hashtag_ranked(tag), id)
if redis.call('ZREM', key.hashtag_posts(tag), id) == 1 then update_trend(tag, now) end
