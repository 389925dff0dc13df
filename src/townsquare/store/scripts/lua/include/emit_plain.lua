--[[
  Effects on one node: applied at once, so that the whole operation is atomic.

  emit(command, key, ...)   one absolute write on one key of another home.
  DELIFEQ is ours: delete the key if it still holds that value.
]]
local function emit(command, name, ...)
  if command == 'DELIFEQ' then
    if redis.call('GET', name) == ... then redis.call('DEL', name) end
    return
  end
  redis.call(command, name, ...)
end
