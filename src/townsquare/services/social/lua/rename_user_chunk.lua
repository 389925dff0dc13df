--[[
  Move one chunk to a new name: up to `chunk` of what the user did (`own`: likes, follows, …), or of what others
  did with the user (followers, blocks, …).

  Keys:    user(username)
  Effects: renamed(*)
  Runs:    rename_in_marks, rename_moderator, rename_in_list, add_to_renamed_user
  Input:   username string, new string, job string, own boolean, chunk integer, now integer
  Output:  moved integer
  Include: user_collections
]]
if redis.call('HGET', key.user(username), 'deleting') ~= job then return 0 end

local function mark(kind)
  return function(one) run.rename_in_marks(one.member, username, new, kind, one.score) end
end
local function swap(side, counted)
  return function(one)
    if counted then redis.call('SREM', counted(username), one.member) end
    run.rename_in_list(one.member, username, new, side, one.score)
  end
end
local function redirect_former_name(one)
  if one.score <= now or one.member == new then return end
  emit('SET', key.renamed(one.member), new, 'PX', string.format('%.0f', one.score - now))
  run.add_to_renamed_user(new, 'former', one.member, one.score)
end

local shares = {
  {key.followers_since, swap('following', key.followers)},
  {key.blocked_by, swap('blocking')},
  {key.muted_by, swap('muting')},
  {key.moderated, function(one) run.rename_moderator(one.member, username, new) end},
  {key.former_names, redirect_former_name},
}
if own then
  shares = {
    {key.liked, mark('like')},
    {key.bookmarked, mark('bookmark')},
    {key.reported, mark('report')},
    {key.following_since, swap('followers', key.following)},
    {key.blocking, swap('blocked_by')},
    {key.muting, swap('muted_by')},
  }
end
for _, share in ipairs(shares) do
  local collection, move = unpack(share)
  local taken = take_chunk(collection(username), chunk)
  if #taken > 0 then
    for _, one in ipairs(taken) do move(one) end
    recount_follows(username)
    return #taken
  end
end
return 0
