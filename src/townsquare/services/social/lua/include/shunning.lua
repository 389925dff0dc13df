--[[
  shunned_by(username, kind): whom a user blocks or mutes.

  Keys: blocking(*), muting(*)
]]
local function shunned_by(username, kind)
  return kind == 'block' and key.blocking(username) or key.muting(username)
end
