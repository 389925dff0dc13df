--[[
  Replace a name in one of this user's lists (`theirs`); then this user goes to the list of the renamed one that is
  its inverse (`mine`).

  Keys:    user(username), blocking(username), blocked_by(username), muting(username), muted_by(username)
  Runs:    add_to_renamed_user
  Input:   username string, old string, new string, theirs string, mine string, at integer
  Include: user_lists
]]
if remove_from_list(username, theirs, old) == 0 then return end
add_to_list(username, theirs, new, at)
run.add_to_renamed_user(new, mine, username, at)
