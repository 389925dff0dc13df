--[[
  score_of(weight, created_at, now): what a post is worth now, with time in milliseconds.
  weight_of(likes, comments, bookmarks)
]]
local HOUR_MS = 60 * 60 * 1000

local function score_of(weight, created_at, now)
  return weight / (math.max(0, now - created_at) / HOUR_MS + 1)
end

local function weight_of(likes, comments, bookmarks)
  return likes * const.LIKE_WEIGHT + comments * const.COMMENT_WEIGHT + bookmarks * const.BOOKMARK_WEIGHT
end
