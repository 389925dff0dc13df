--[[
  Counts of trending tags that were found to have fallen. One that changed since it was seen is left alone.

  Keys:   hashtags_trending()
  Input:  tags [string], seen [integer], counts [integer]
]]
for place, tag in ipairs(tags) do
  if tonumber(redis.call('ZSCORE', key.hashtags_trending(), tag) or -1) == seen[place] then
    if counts[place] > 0 then
      redis.call('ZADD', key.hashtags_trending(), counts[place], tag)
    else
      redis.call('ZREM', key.hashtags_trending(), tag)
    end
  end
end
