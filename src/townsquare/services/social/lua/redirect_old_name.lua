--[[
  Replace the old name by a redirect to the new one, once nothing is under it. Answers how much is left.

  Keys:    user(username), renamed(username)
  Input:   username string, new string, job string
  Output:  left integer
  Include: user_collections
]]
if redis.call('HGET', key.user(username), 'deleting') ~= job then return 0 end
local left = count_remaining(username)
if left > 0 then return left end
remove_user_keys(username)
redis.call('SET', key.renamed(username), new, 'EX', lifetime.renamed)
return 0
