--[[
  Replace a name in one of this user's lists: followed, followers, blocked, muted and their inverses.

  Keys:    user(username), blocking(username), blocked_by(username), muting(username), muted_by(username)
  Runs:    add_to_renamed_user
  Input:   username string, old string, new string, side string, at integer
  Output:  nothing
  Include: follows
]]
local INVERSE = {
  following = 'followers', followers = 'following', blocking = 'blocked_by', blocked_by = 'blocking',
  muting = 'muted_by', muted_by = 'muting',
}
local BLOCKS_AND_MUTES = {blocking = key.blocking, blocked_by = key.blocked_by, muting = key.muting, muted_by = key.muted_by}

if side == 'following' then
  if remove_following(username, old) == 0 then return end
  add_following(username, new, at)
elseif side == 'followers' then
  if remove_from_followers(username, old) == 0 then return end
  add_to_followers(username, new, at)
else
  if redis.call('ZREM', BLOCKS_AND_MUTES[side](username), old) == 0 then return end
  redis.call('ZADD', BLOCKS_AND_MUTES[side](username), at, new)
end
run.add_to_renamed_user(new, INVERSE[side], username, at)
