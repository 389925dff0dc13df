--[[
  A page of the ranked posts of a tag, scored again first if that is 30 seconds ago. `after` is the last
  post of the page before, `position` where it stood.

  Keys:    hashtag_posts(tag), hashtag_weights(tag), hashtag_ranked(tag), hashtag_order(tag), hashtag_scored(tag)
  Input:   tag string, now integer, after string?, position integer, count integer
  Output:  position integer, ids [string]
  Include: score, rescore
]]
local scored = tonumber(redis.call('GET', key.hashtag_scored(tag)) or -1)
if scored < 0 or now < scored or now - scored >= RANKED_SECONDS * 1000 then rescore(tag, now) end

local first = position
local found = after and redis.call('LPOS', key.hashtag_order(tag), after)
if found then first = found + 1 end
return {first, redis.call('LRANGE', key.hashtag_order(tag), first, first + count - 1)}
