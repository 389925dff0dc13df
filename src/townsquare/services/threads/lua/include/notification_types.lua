--[[
  is_about_new_comment(kind): whether a type of notification is about a new comment.
]]
local function is_about_new_comment(kind)
  for _, one in ipairs(const.NOTIFY_ABOUT_NEW_COMMENTS) do
    if one == kind then return true end
  end
  return false
end
