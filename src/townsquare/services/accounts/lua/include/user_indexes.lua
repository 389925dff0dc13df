--[[
  given(value): whether a field of a document has a value.
  place(id, before, after, created): update the groups and orders of a user from the document
  `before` to `after`; either may be nil. Claims handle new unique values.

  Relations: user
  Effects:   non_registered_users(), users_by(*, *)
]]
local function given(value)
  return value ~= nil and value ~= cjson.null
end

local function value_at(user, path)
  for _, name in ipairs(path) do
    if not given(user) then return nil end
    user = user[name]
  end
  return given(user) and user or nil
end

local function parameters(sources, user)
  local values = {}
  for place, source in ipairs(sources) do
    values[place] = type(source) == 'table' and value_at(user, source) or type(source) == 'string' and source or nil
    if not values[place] then return nil end
  end
  return values
end

local function differing(relations, one, other)
  local found = {}
  for _, relation in ipairs(relations) do
    local name, sources = unpack(relation)
    local mine, others = parameters(sources, one), parameters(sources, other)
    if mine and not (others and table.concat(mine, '\n') == table.concat(others, '\n')) then
      found[#found + 1] = key[name](unpack(mine))
    end
  end
  return found
end

local function special_role(user)
  return given(user.role) and user.role ~= 'user' and user.role or nil
end

local function place_by_role(id, before, after, created)
  if before == after then return end
  if before then emit('ZREM', key.users_by('role', before), id) end
  if after then emit('ZADD', key.users_by('role', after), created, id) end
end

local function place(id, before, after, created)
  before, after = before or {}, after or {}
  for _, index in ipairs(differing(indexes_of.user, before, after)) do emit('DELIFEQ', index, id) end
  for _, group in ipairs(differing(groups_of.user, before, after)) do emit('SREM', group, id) end
  for _, group in ipairs(differing(groups_of.user, after, before)) do emit('SADD', group, id) end
  for _, order in ipairs(differing(orders_of.user, before, after)) do emit('ZREM', order, id) end
  for _, order in ipairs(differing(orders_of.user, after, before)) do emit('ZADD', order, created, id) end
  place_by_role(id, special_role(before), special_role(after), created)
  if before.registered == false and after.registered ~= false then emit('SREM', key.non_registered_users(), id) end
  if after.registered == false and before.registered ~= false then emit('SADD', key.non_registered_users(), id) end
end
