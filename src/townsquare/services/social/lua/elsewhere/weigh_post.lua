--[[
  The engagement of a shown post has changed: its author's total follows.

  Keys:    user(username), user_engagement(username)
  Effects: models_top()
  Input:   username string, id string, weight integer
  Output:  nothing
  Include: living, engagement
]]
local role = living(username)
if role then weigh(username, id, weight, role) end
