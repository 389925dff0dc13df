--[[
  code_key(target, kind): where a code is kept; asking for a new password does not touch a code to sign in.

  tries_of(code, asker): how often somebody was wrong about a code.

  Keys: verify(*), verify_reset(*)
]]
local function code_key(target, kind)
  return kind == 'password_reset' and key.verify_reset(target) or key.verify(target)
end

local function tries_of(code, asker)
  return code.tries and code.tries[asker] or 0
end
