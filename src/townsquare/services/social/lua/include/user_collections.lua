--[[
  What a user has besides the record, in this home.

  take_chunk(name, chunk): up to so many members of a sorted set with their scores, taken out of it.
  recount_follows(username): the counters of follows as their sets are.
  count_remaining(username): how much is in the collections that a deletion or a move empties.
  remove_user_keys(username): the record and everything of its own. Nothing is in it by then that others know of.

  Keys: user(*), user_posts(*), banned_posts(*), user_engagement(*), liked(*), bookmarked(*), reported(*),
        moderated(*), following(*), following_since(*), followers(*), followers_since(*), blocking(*), blocked_by(*),
        muting(*), muted_by(*), former_names(*), home_feed(*), home_state(*), watchers(*)
]]
local EMPTIED = {
  'user_posts', 'banned_posts', 'liked', 'bookmarked', 'reported', 'moderated', 'following_since', 'followers_since',
  'blocking', 'blocked_by', 'muting', 'muted_by', 'former_names',
}
local THROWN_AWAY = {'user', 'user_engagement', 'following', 'followers', 'home_feed', 'home_state', 'watchers'}

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
  for _, collection in ipairs(THROWN_AWAY) do redis.call('UNLINK', key[collection](username)) end
end
