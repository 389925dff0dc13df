--[[
  Remove one chunk of what a user who is being deleted has left with others: up to `chunk` likes, or bookmarks,
  reports, bans, follows, blocks, mutes. When nothing is left, the user's own keys are removed.

  Keys:    user(username)
  Effects: renamed(*)
  Runs:    drop_mark, remove_moderator, remove_follower, remove_followed, drop_block_or_mute, remove_blocker_or_muter
  Input:   username string, job string, chunk integer, now integer
  Output:  removed integer
  Include: user_collections, jobs
]]
if redis.call('HGET', key.user(username), 'deleting') ~= job then
  finish_job(job)
  return 0
end

local shares = {
  {key.liked, function(id) run.drop_mark(id, username, 'like', now) end},
  {key.bookmarked, function(id) run.drop_mark(id, username, 'bookmark', now) end},
  {key.reported, function(id) run.drop_mark(id, username, 'report', now) end},
  {key.moderated, function(id) run.remove_moderator(id, username) end},
  {key.following_since, function(other)
    redis.call('SREM', key.following(username), other)
    run.remove_follower(other, username)
  end},
  {key.followers_since, function(follower)
    redis.call('SREM', key.followers(username), follower)
    run.remove_followed(follower, username)
  end},
  {key.blocking, function(other) run.remove_blocker_or_muter(other, username, 'block') end},
  {key.muting, function(other) run.remove_blocker_or_muter(other, username, 'mute') end},
  {key.blocked_by, function(other) run.drop_block_or_mute(other, username, 'block') end},
  {key.muted_by, function(other) run.drop_block_or_mute(other, username, 'mute') end},
  {key.former_names, function(name) emit('DELIFEQ', key.renamed(name), username) end},
}
for _, share in ipairs(shares) do
  local collection, take_back = unpack(share)
  local taken = take_chunk(collection(username), chunk)
  if #taken > 0 then
    for _, one in ipairs(taken) do take_back(one.member) end
    recount_follows(username)
    return #taken
  end
end

if count_remaining(username) == 0 then
  remove_user_keys(username)
  finish_job(job)
end
return 1
