--[[
  Change a list of a user, given by the name of its key, and the counters and feeds that depend on it.

  add_to_list(username, list, member, at)
  remove_from_list(username, list, member): answers 1 if it was there.

  Keys:    liked(*), bookmarked(*), reported(*), blocking(*), blocked_by(*), muting(*), muted_by(*), former_names(*),
            notices(*), unread_notices(*)
  Include: follows
]]
local function add_to_list(username, list, member, at)
  if list == 'following_since' then
    add_following(username, member, at)
  elseif list == 'followers_since' then
    add_to_followers(username, member, at)
  elseif list == 'unread_notices' then
    redis.call('SADD', key.unread_notices(username), member)
  else
    redis.call('ZADD', key[list](username), at, member)
  end
end

local function remove_from_list(username, list, member)
  if list == 'following_since' then return remove_following(username, member) end
  if list == 'followers_since' then return remove_from_followers(username, member) end
  return redis.call('ZREM', key[list](username), member)
end
