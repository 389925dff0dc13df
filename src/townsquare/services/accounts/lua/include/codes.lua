--[[
  code_key(target, kind): the key of a code; codes for sign-in and for password resets are separate.

  tries_of(code, asker): the number of wrong tries of an asker.

  Keys: verify(*), verify_reset(*)
]]
local function code_key(target, kind)
  return kind == 'password_reset' and key.verify_reset(target) or key.verify(target)
end

local function tries_of(code, asker)
  return code.tries and code.tries[asker] or 0
end
