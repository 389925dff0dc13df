--[[
  add_to_role_list(username, role, created_at, engagement), remove_from_role_list(username, role): the lists that a role belongs to.

  Effects: users_regular(), users_models(), models_top()
]]
local function add_to_role_list(username, role, created_at, engagement)
  if role == 'user' then
    emit('ZADD', key.users_regular(), created_at, username)
  elseif role == 'model' then
    emit('ZADD', key.users_models(), created_at, username)
    emit('ZADD', key.models_top(), engagement, username)
  end
end

local function remove_from_role_list(username, role)
  if role == 'user' then
    emit('ZREM', key.users_regular(), username)
  elseif role == 'model' then
    emit('ZREM', key.users_models(), username)
    emit('ZREM', key.models_top(), username)
  end
end
