--[[
  blocked_or_muted(username, kind): whom a user blocks or mutes.

  Keys: blocking(*), muting(*)
]]
local function blocked_or_muted(username, kind)
  return kind == 'block' and key.blocking(username) or key.muting(username)
end
