--[[
  The collections of a user, all in the user's own home.

  take_chunk(name, chunk): remove up to `chunk` members of a sorted set; answers them with their scores.
  recount_follows(username): set both counters of follows from their sets.
  count_remaining(username): how many members are left in what a deletion or a rename empties.
  remove_user_keys(username): remove the record and all collections, once the former is 0.

  Keys: user(*), user_posts(*), banned_posts(*), user_engagement(*), liked(*), bookmarked(*), reported(*),
        moderated(*), following(*), following_since(*), followers(*), followers_since(*), blocking(*), blocked_by(*),
        muting(*), muted_by(*), former_names(*), home_feed(*), home_state(*), watchers(*)
]]
local EMPTIED = {
  'user_posts', 'banned_posts', 'liked', 'bookmarked', 'reported', 'moderated', 'following_since', 'followers_since',
  'blocking', 'blocked_by', 'muting', 'muted_by', 'former_names',
}
local REMOVED = {'user', 'user_engagement', 'following', 'followers', 'home_feed', 'home_state', 'watchers'}

local function take_chunk(name, chunk)
  local found, taken = redis.call('ZRANGE', name, 0, chunk - 1, 'WITHSCORES'), {}
  for place = 1, #found, 2 do
    taken[#taken + 1] = {member = found[place], score = tonumber(found[place + 1])}
  end
  if #taken > 0 then redis.call('ZREMRANGEBYRANK', name, 0, #taken - 1) end
  return taken
end

local function recount_follows(username)
  redis.call('HSET', key.user(username), 'followerCount', redis.call('SCARD', key.followers(username)), 'followingCount',
    redis.call('SCARD', key.following(username)))
end

local function count_remaining(username)
  local left = 0
  for _, collection in ipairs(EMPTIED) do left = left + redis.call('ZCARD', key[collection](username)) end
  return left
end

local function remove_user_keys(username)
  for _, collection in ipairs(EMPTIED) do redis.call('UNLINK', key[collection](username)) end
  for _, collection in ipairs(REMOVED) do redis.call('UNLINK', key[collection](username)) end
end
