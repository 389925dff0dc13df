--[[
  A name led to somebody who is gone. It may lead to somebody else by now.

  Keys:   renamed(username)
  Input:  username string, gone string
]]
if redis.call('GET', key.renamed(username)) == gone then redis.call('DEL', key.renamed(username)) end
