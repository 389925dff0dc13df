--[[
  The author's lists of posts, and the home feeds of the author's followers.

  add_author_post(username, id, created_at, weight, now): a post is shown.
  remove_author_post(username, id, created_at, banned): it is not; a banned one goes to the banned posts.

  Keys:    user(*), user_posts(*), banned_posts(*), watchers(*)
  Effects: home_feed(*)
  Runs:    push_to_home_feed
  Include: active_user, engagement
]]
local function add_author_post(username, id, created_at, weight, now)
  local posts = key.user_posts(username)
  redis.call('ZADD', posts, created_at, id)
  redis.call('HSET', key.user(username), 'postCount', redis.call('ZCARD', posts))
  if weight > 0 then set_engagement(username, id, weight, active_user(username)) end
  local watchers = key.watchers(username)
  local known = redis.call('ZRANGE', watchers, 0, -1, 'WITHSCORES')  -- bounded: no feed watches a big author
  for place = 1, #known, 2 do
    if tonumber(known[place + 1]) >= now then
      run.push_to_home_feed(known[place], id, created_at)
    else
      redis.call('ZREM', watchers, known[place])
    end
  end
end

local function remove_author_post(username, id, created_at, banned)
  redis.call('ZREM', key.user_posts(username), id)
  if banned then
    redis.call('ZADD', key.banned_posts(username), created_at, id)
  else
    redis.call('ZREM', key.banned_posts(username), id)
  end
  local role, deleting = unpack(redis.call('HMGET', key.user(username), 'role', 'deleting'))
  if role then
    redis.call('HSET', key.user(username), 'postCount', redis.call('ZCARD', key.user_posts(username)))
    set_engagement(username, id, 0, not deleting and role)
  end
  -- bounded: no feed watches a big author
  for _, watcher in ipairs(redis.call('ZRANGE', key.watchers(username), 0, -1)) do
    emit('ZREM', key.home_feed(watcher), id)
  end
end

local function restart_refresh(username)
  if redis.call('HEXISTS', key.user(username), 'refreshing') == 1 then
    redis.call('HSET', key.user(username), 'refreshed_to', '')
  end
end
