--[[
  Add a member to a list of a user who is being renamed, under the new name.

  Keys:    user(username), liked(username), bookmarked(username), reported(username), blocking(username),
           blocked_by(username), muting(username), muted_by(username), former_names(username)
  Input:   username string, what string, member string, at integer
  Output:  nothing
  Include: follows
]]
if redis.call('HEXISTS', key.user(username), 'arriving') == 0 then return end
local kept = {
  like = key.liked, bookmark = key.bookmarked, report = key.reported, blocking = key.blocking,
  blocked_by = key.blocked_by, muting = key.muting, muted_by = key.muted_by, former = key.former_names,
}
if what == 'following' then
  add_following(username, member, at)
elseif what == 'followers' then
  add_to_followers(username, member, at)
else
  redis.call('ZADD', kept[what](username), at, member)
end
