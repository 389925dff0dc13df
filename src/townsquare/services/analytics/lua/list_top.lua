--[[
  The products of a ranking, best first.

  Keys:    top(ranking)
  Include: page
  Input:   ranking string, score number?, member string, count integer
  Output:  [member, score, ...]
]]
return page(key.top(ranking), score, member, count)
