--[[
  Move one chunk to a new name: up to `chunk` of what the user did (`own`: likes, follows, …), or of what others
  did with the user (followers, blocks, …).

  Keys:    user(username), following(username), following_since(username), followers(username),
           followers_since(username), moderated(username), notices(username),
           unread_notices(username)
  Effects: renamed(*)
  Runs:    rename_in_post_lists, rename_moderator, rename_in_list, add_to_renamed_user
  Input:   username string, new string, job string, own boolean, chunk integer, now integer
  Output:  moved integer
  Include: user_lists
]]
if redis.call('HGET', key.user(username), 'deleting') ~= job then return 0 end

local function in_post_lists(post, at, mine, theirs) run.rename_in_post_lists(post, username, new, theirs, mine, at) end
local function in_list(other, at, mine, theirs) run.rename_in_list(other, username, new, theirs, mine, at) end
local function in_bans(post) run.rename_moderator(post, username, new) end
local function in_redirect(former, at)
  if at <= now or former == new then return end
  emit('SET', key.renamed(former), new, 'PX', string.format('%.0f', math.min(at - now, lifetime.renamed * 1000)))
  run.add_to_renamed_user(new, 'former_names', former, at)
end

local function in_notices(what, at)
  run.add_to_renamed_user(new, 'notices', what, at)
  if redis.call('SREM', key.unread_notices(username), what) == 1 then
    run.add_to_renamed_user(new, 'unread_notices', what, at)
  end
end

local DONE_BY_USER = {
  {'liked', in_post_lists, 'post_likes'}, {'bookmarked', in_post_lists, 'post_bookmarks'},
  {'reported', in_post_lists, 'post_reports'},
  {'following_since', in_list, 'followers_since'}, {'blocking', in_list, 'blocked_by'}, {'muting', in_list, 'muted_by'},
}
local DONE_BY_OTHERS = {
  {'followers_since', in_list, 'following_since'}, {'blocked_by', in_list, 'blocking'}, {'muted_by', in_list, 'muting'},
  {'moderated', in_bans}, {'former_names', in_redirect}, {'notices', in_notices},
}
local SET_OF = {following_since = key.following, followers_since = key.followers}

for _, list in ipairs(own and DONE_BY_USER or DONE_BY_OTHERS) do
  local mine, rename, theirs = unpack(list)
  local taken = redis.call('ZPOPMIN', key[mine](username), chunk)
  for place = 1, #taken, 2 do
    if SET_OF[mine] then redis.call('SREM', SET_OF[mine](username), taken[place]) end
    rename(taken[place], tonumber(taken[place + 1]), mine, theirs)
  end
  if #taken > 0 then
    redis.call('HSET', key.user(username), 'followerCount', redis.call('SCARD', key.followers(username)),
      'followingCount', redis.call('SCARD', key.following(username)))
    return #taken / 2
  end
end
return 0
