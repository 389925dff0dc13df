--[[
  The products or search terms of one period, best first.

  Keys:    top_in(ranking, period)
  Include: page
  Input:   ranking string, period string, score number?, member string, count integer
  Output:  [member, score, ...]
]]
return page(key.top_in(ranking, period), score, member, count)
