--[[
  The side of a follow that is in this home, with its counter. Who follows somebody else than before gets a new
  home feed.

  add_following(username, other, now), remove_following(username, other): whom this user follows.
  add_to_followers(username, follower, now), remove_from_followers(username, follower): who follows this user.
  The last three answer 1 if something changed.

  Keys:    user(*), following(*), following_since(*), followers(*), followers_since(*), watchers(*),
           home_feed(*), home_state(*), notices(*), unread_notices(*)
  Effects: big_authors()
  Include: notices
]]
local function count_following(username)
  if redis.call('HEXISTS', key.user(username), 'username') == 0 then return end
  redis.call('HSET', key.user(username), 'followingCount', redis.call('SCARD', key.following(username)))
end

local function count_followers(username)
  local before, deleting = unpack(redis.call('HMGET', key.user(username), 'followerCount', 'deleting'))
  if not before then return end
  local count = redis.call('SCARD', key.followers(username))
  redis.call('HSET', key.user(username), 'followerCount', count)
  if count >= const.BIG_AUTHOR and not deleting then
    emit('ZADD', key.big_authors(), count, username)
  elseif tonumber(before) >= const.BIG_AUTHOR then
    emit('ZREM', key.big_authors(), username)
  end
end

local function add_following(username, other, now)
  redis.call('SADD', key.following(username), other)
  redis.call('ZADD', key.following_since(username), now, other)
  count_following(username)
  redis.call('DEL', key.home_feed(username), key.home_state(username))
end

local function remove_following(username, other)
  local changed = redis.call('SREM', key.following(username), other)
  if redis.call('ZREM', key.following_since(username), other) == 0 and changed == 0 then return 0 end
  count_following(username)
  redis.call('DEL', key.home_feed(username), key.home_state(username))
  return 1
end

local function add_to_followers(username, follower, now)
  redis.call('SADD', key.followers(username), follower)
  redis.call('ZADD', key.followers_since(username), now, follower)
  count_followers(username)
end

local function remove_from_followers(username, follower)
  redis.call('ZREM', key.watchers(username), follower)
  local changed = redis.call('SREM', key.followers(username), follower)
  if redis.call('ZREM', key.followers_since(username), follower) == 0 and changed == 0 then return 0 end
  count_followers(username)
  if redis.call('SCARD', key.followers(username)) == 0 then drop_notice(username, 'follow') end
  return 1
end
