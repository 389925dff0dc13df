--[[
  The engagement of a shown post has changed: its author's total follows.

  Keys:    user(username), user_engagement(username)
  Effects: models_top()
  Input:   username string, id string, weight integer
  Include: active_user, engagement
]]
local role = active_user(username)
if role then set_engagement(username, id, weight, role) end
