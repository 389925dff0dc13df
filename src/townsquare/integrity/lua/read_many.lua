--[[
  One read of many keys: ARGV[1] is the command. Errors are values.
]]
local replies = {}
for number, key in ipairs(KEYS) do replies[number] = redis.pcall(ARGV[1], key) end
return replies
