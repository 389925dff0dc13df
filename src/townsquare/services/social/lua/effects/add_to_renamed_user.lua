--[[
  Add a member to a list of a user who is being renamed, under the new name.

  Keys:    user(username), liked(username), bookmarked(username), reported(username), blocking(username),
           blocked_by(username), muting(username), muted_by(username), former_names(username), notices(username),
           unread_notices(username)
  Input:   username string, list string, member string, at integer
  Include: user_lists
]]
if redis.call('HEXISTS', key.user(username), 'arriving') == 1 then add_to_list(username, list, member, at) end
