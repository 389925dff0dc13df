--[[
  What a user did, newest first.

  Keys:    journey(actor)
  Include: page
  Input:   actor string, score number?, member string, count integer
  Output:  [member, score, ...]
]]
return page(key.journey(actor), score, member, count)
