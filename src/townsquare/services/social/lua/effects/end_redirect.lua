--[[
  Delete the redirect of a former name to a deleted user, unless it points to another user now.

  Keys:   renamed(username)
  Input:  username string, gone string
]]
if redis.call('GET', key.renamed(username)) == gone then redis.call('DEL', key.renamed(username)) end
