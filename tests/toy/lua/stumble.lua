--[[
  Fails on the line that says so.

  Keys:   person(name)
  Input:  name string
  Output: nothing
]]
local nothing = nil
return nothing.at_all
