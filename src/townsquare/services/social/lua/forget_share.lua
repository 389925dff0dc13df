--[[
  Take back one share of what somebody who is being deleted has left with others: up to `chunk` likes, or
  bookmarks, reports, bans, follows, blocks, mutes. When nothing is left, the user goes.

  Keys:    user(username)
  Effects: renamed(*)
  Runs:    drop_mark, forget_moderator, remove_follower, forget_followed, drop_shun, forget_shunner
  Input:   username string, job string, chunk integer, now integer
  Output:  removed integer
  Include: possessions, jobs
]]
if redis.call('HGET', key.user(username), 'deleting') ~= job then
  finish_job(job)
  return 0
end

local shares = {
  {key.liked, function(id) run.drop_mark(id, username, 'like', now) end},
  {key.bookmarked, function(id) run.drop_mark(id, username, 'bookmark', now) end},
  {key.reported, function(id) run.drop_mark(id, username, 'report', now) end},
  {key.moderated, function(id) run.forget_moderator(id, username) end},
  {key.following_since, function(other)
    redis.call('SREM', key.following(username), other)
    run.remove_follower(other, username)
  end},
  {key.followers_since, function(follower)
    redis.call('SREM', key.followers(username), follower)
    run.forget_followed(follower, username)
  end},
  {key.blocking, function(other) run.forget_shunner(other, username, 'block') end},
  {key.muting, function(other) run.forget_shunner(other, username, 'mute') end},
  {key.blocked_by, function(other) run.drop_shun(other, username, 'block') end},
  {key.muted_by, function(other) run.drop_shun(other, username, 'mute') end},
  {key.former_names, function(name) emit('DELIFEQ', key.renamed(name), username) end},
}
for _, share in ipairs(shares) do
  local collection, take_back = unpack(share)
  local taken = take(collection(username), chunk)
  if #taken > 0 then
    for _, one in ipairs(taken) do take_back(one.member) end
    count_both(username)
    return #taken
  end
end

if left_of(username) == 0 then
  remove_user(username)
  finish_job(job)
end
return 1
