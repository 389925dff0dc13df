--[[
  A page of the ranked posts of a tag, without those that have lost the tag since they were scored, with the
  viewer's state.

  A reader comes with `scored`, the moment of the order that the page before was from, and goes on in it while
  it is kept. Others get the newest order, made again if it is too old: they begin after the post that
  ended the page before (`after`), or, if that is not in it, where it stood (`position`).

  Keys:    hashtag_posts(tag), hashtag_weights(tag), hashtag_ranked(tag), hashtag_order(tag, *), hashtag_scored(tag)
  Derives: hashtag_ranked, hashtag_order, hashtag_scored
  Reads:   read_viewer_state
  Input:   tag string, viewer string?, now integer, scored integer?, after string?, position integer, count integer
  Output:  scored integer, ids string, positions string, read_viewer_state json
  Include: score, rescore, viewer_state_of
]]
local function newest_order()
  local made = tonumber(redis.call('GET', key.hashtag_scored(tag)) or -1)
  if made >= 0 and made <= now and now - made < lifetime.hashtag_scored * 1000 then return made end
  rescore(tag, now)
  return now
end

local first
if scored and redis.call('EXISTS', key.hashtag_order(tag, scored)) == 1 then
  first = position + 1
else
  scored = newest_order()
  local found = after and redis.call('LPOS', key.hashtag_order(tag, scored), after)
  first = found and found + 1 or position
end
first = math.max(0, first)

local order, positions, ids = key.hashtag_order(tag, scored), {}, {}
for from = first, redis.call('LLEN', order) - 1, math.max(1, count) do
  local found = redis.call('LRANGE', order, from, from + count - 1)
  local times = #found > 0 and redis.call('ZMSCORE', key.hashtag_posts(tag), unpack(found))
  for offset, id in ipairs(found) do
    local created_at = times[offset] and tonumber(times[offset])
    if created_at and now - created_at < const.RANKED_MS and #ids < count then
      positions[#positions + 1] = from + offset - 1
      ids[#ids + 1] = id
    end
  end
  if #ids >= count then break end
end
return {scored, joined(ids), joined(positions), viewer and read.read_viewer_state(viewer, ids) or false}
