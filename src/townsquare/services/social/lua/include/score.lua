--[[
  score_of(weight, created_at, now): what a post is worth now, with time in milliseconds.
  weight_of(likes, comments, bookmarks)
]]
local HOUR_MS = 60 * 60 * 1000
local RANKED_MS = 14 * 24 * HOUR_MS

local function score_of(weight, created_at, now)
  return weight / (math.max(0, now - created_at) / HOUR_MS + 1)
end

local function weight_of(likes, comments, bookmarks)
  return likes * 3 + comments * 5 + bookmarks * 4
end
