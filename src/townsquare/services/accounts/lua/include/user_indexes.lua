--[[
  place(id, before, after, created): move a user's entries from where the document `before` has them to
  where `after` has them; either may be nil. New unique values are the business of claims.

  Effects: email(*), username(*), phone(*), device(*), google(*), provider_google(*), provider_github(*),
           province_users(*), city_users(*), non_registered_users(), users_by(*, *)
]]
local function uniques(user)
  local providers = user.providers or {}
  return {
    {'email', user.email}, {'username', user.username}, {'phone', user.phone}, {'device', user.deviceId},
    {'google', providers.google}, {'provider_google', providers.google}, {'provider_github', providers.github},
  }
end

local function listings(user)
  return {
    {'status', user.accountStatus}, {'role', user.role}, {'province', user.province}, {'city', user.city},
  }
end

local function groups(user)
  return {{'province_users', user.province}, {'city_users', user.city}}
end

local function given(value)
  return value ~= nil and value ~= cjson.null
end

local function differing(of, one, other)
  local others, found = of(other), {}
  for place, entry in ipairs(of(one)) do
    if given(entry[2]) and entry[2] ~= others[place][2] then found[#found + 1] = entry end
  end
  return found
end

local function place(id, before, after, created)
  before, after = before or {}, after or {}
  for _, entry in ipairs(differing(uniques, before, after)) do emit('DELIFEQ', key[entry[1]](entry[2]), id) end
  for _, entry in ipairs(differing(groups, before, after)) do emit('SREM', key[entry[1]](entry[2]), id) end
  for _, entry in ipairs(differing(groups, after, before)) do emit('SADD', key[entry[1]](entry[2]), id) end
  for _, entry in ipairs(differing(listings, before, after)) do emit('ZREM', key.users_by(entry[1], entry[2]), id) end
  for _, entry in ipairs(differing(listings, after, before)) do
    emit('ZADD', key.users_by(entry[1], entry[2]), created, id)
  end
  if before.registered == false and after.registered ~= false then emit('SREM', key.non_registered_users(), id) end
  if after.registered == false and before.registered ~= false then emit('SADD', key.non_registered_users(), id) end
end
