--[[
  update_trend(tag, now): update the number of posts of the last 24 hours of a tag in hashtags_trending.

  Keys:    hashtag_posts(*)
  Effects: hashtags_trending()
]]
local function update_trend(tag, now)
  local count = redis.call('ZCOUNT', key.hashtag_posts(tag), now - const.TREND_MS + 1, '+inf')
  if count > 0 then
    emit('ZADD', key.hashtags_trending(), count, tag)
  else
    emit('ZREM', key.hashtags_trending(), tag)
  end
end
