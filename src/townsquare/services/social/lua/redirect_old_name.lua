--[[
  The old name is empty: it goes, and leads to the new one for a while. Answers what is left otherwise.

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
