--[[
  Follows of one user that were made elsewhere, at the times that they were made.

  Keys:    user(username), following(username), blocking(username), blocked_by(username)
  Asks:    add_follower (profile_not_found)
  Input:   username string, others [string], times [integer], limit integer
  Output:  [string] created, unchanged, or the code of a problem
  Errors:  profile_not_found
  Include: active_user, follows
]]
if not active_user(username) then return refuse('profile_not_found') end

local function import(other, at)
  if redis.call('SISMEMBER', key.following(username), other) == 1 then return 'unchanged' end
  if redis.call('ZSCORE', key.blocking(username), other) or redis.call('ZSCORE', key.blocked_by(username), other) then
    return 'profile_not_found'
  end
  if redis.call('SCARD', key.following(username)) >= limit then return 'following_too_many' end
  local refusal = ask.add_follower(other, username, at)
  if refusal then return code_of(refusal) end
  add_following(username, other, at)
  return 'created'
end

local outcomes = {}
for place, other in ipairs(others) do outcomes[place] = import(other, times[place]) end
return outcomes
