--[[
  Whether a viewer follows or mutes another user, and whether one of them blocks the other.

  Keys:   following(viewer), blocking(viewer), blocked_by(viewer), muting(viewer)
  Input:  viewer string, username string
  Output: follows boolean, blocks boolean (one of them does), mutes boolean
]]
local function has(list) return redis.call('ZSCORE', list, username) and 1 or 0 end

local blocks = math.max(has(key.blocking(viewer)), has(key.blocked_by(viewer)))
return {redis.call('SISMEMBER', key.following(viewer), username), blocks, has(key.muting(viewer))}
