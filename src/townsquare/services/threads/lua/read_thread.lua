--[[
  The ids of part of a thread in one step: root comments in one order after a cursor, replies below them to a
  depth, and the hidden comments that this reader may see. At most `budget` comments.

  Keys:    page(page_id), page_new(page_id), page_top(page_id), page_hot(page_id), page_hot_decaying(page_id),
           page_controversial(page_id), page_pinned(page_id), page_hidden(page_id),
           comment_replies(*), vote(*, *), page_hidden_of(page_id, *), page_moved(page_id)
  Input:   page_id string, order string, down boolean, score number?, member string?, count integer,
           depth integer, replies integer, replies_down boolean, budget integer, user_id string?,
           sees_hidden boolean, root string?
  Output:  page json, roots json, ids string, children json, hidden json, votes json, pinned json
  Include: page
]]
local function members(name, from_top, count)
  return redis.call(from_top and 'ZREVRANGE' or 'ZRANGE', name, 0, count - 1, 'WITHSCORES')
end

local orders = {
  new = key.page_new(page_id), top = key.page_top(page_id), hot = key.page_hot(page_id),
  hot_decaying = key.page_hot_decaying(page_id), controversial = key.page_controversial(page_id),
}
local about = redis.call('HMGET', key.page(page_id), 'site_id', 'comment_count', 'closed', 'deleting', 'merging')
if not about[1] or about[5] then about[5] = redis.call('GET', key.page_moved(page_id)) end
local roots
if root then
  roots = page(key.comment_replies(root), down, score, member, count)
else
  roots = page(orders[order], down, score, member, count)
end

local ids, votes, children, seen, asked = {}, {}, {}, {}, 0
local function read(id)
  if seen[id] then return end
  seen[id], asked = true, asked + 1
  ids[#ids + 1] = id
  if user_id then votes[#votes + 1] = key.vote(user_id, id) end
end

local level = {}
for place = 1, #roots, 2 do
  read(roots[place])
  level[#level + 1] = roots[place]
end
local pinned = {}
if not score and not root then
  pinned = redis.call('ZREVRANGE', key.page_pinned(page_id), 0, const.PINNED - 1)
  for _, id in ipairs(pinned) do read(id) end
end
for _ = 1, depth do
  local below, names = {}, {}
  for place, parent in ipairs(level) do names[place] = key.comment_replies(parent) end
  if #names == 0 or redis.call('EXISTS', unpack(names)) == 0 then break end  -- most comments have no replies
  for place, parent in ipairs(level) do
    if asked >= budget then break end
    local found = members(names[place], replies_down, replies + 1)
    if #found > 0 then
      children[#children + 1] = parent
      children[#children + 1] = found
      for place = 1, math.min(#found, 2 * replies), 2 do
        read(found[place])
        below[#below + 1] = found[place]
      end
    end
  end
  level = below
end

local hidden = {}
if sees_hidden then
  hidden = redis.call('ZREVRANGE', key.page_hidden(page_id), 0, const.HIDDEN_READ - 1)
elseif user_id then
  hidden = redis.call('ZREVRANGE', key.page_hidden_of(page_id, user_id), 0, const.HIDDEN_READ - 1)
end
for _, id in ipairs(hidden) do read(id) end
local given = {}  -- ids and votes
if #votes > 0 then
  for place, vote in ipairs(redis.call('MGET', unpack(votes))) do  -- bounded by `budget`
    if vote then
      given[#given + 1] = ids[place]
      given[#given + 1] = vote
    end
  end
end
return {about, roots, table.concat(ids, ','), children, hidden, given, pinned}
