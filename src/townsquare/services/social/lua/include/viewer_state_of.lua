--[[
  viewer_state_of(viewer, ids): the posts among these that the viewer likes, those that the viewer has
  bookmarked, and 1 if the viewer blocks or mutes anybody or is blocked, else 0.
  ids_and_scores(pairs): the members and the scores of a list of members with scores.
  joined(values): one string, with spaces between the values. A client parses it faster than a list.

  Keys: liked(*), bookmarked(*), blocking(*), blocked_by(*), muting(*)
]]
local function members_among(list, ids)
  local found = {}
  if #ids == 0 then return found end
  for index, score in ipairs(redis.call('ZMSCORE', list, unpack(ids))) do
    if score then found[#found + 1] = ids[index] end
  end
  return found
end

local function viewer_state_of(viewer, ids)
  local hides_users = redis.call('EXISTS', key.blocking(viewer), key.blocked_by(viewer), key.muting(viewer))
  return {members_among(key.liked(viewer), ids), members_among(key.bookmarked(viewer), ids), hides_users > 0 and 1 or 0}
end

local function ids_and_scores(pairs)
  local ids, scores = {}, {}
  for index = 1, #pairs, 2 do
    ids[#ids + 1], scores[#scores + 1] = pairs[index], pairs[index + 1]
  end
  return ids, scores
end

local function joined(values)
  return table.concat(values, ' ')
end
