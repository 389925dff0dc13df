--[[
  current(id, version): the decoded user that is stored, if it has that version; else nil and a refusal.
  rewrite(id, before, document, created): store a changed document and update its indexes. Sessions end
  if the user may no longer sign in, and with a new password or role (tokens contain the role).

  Keys:    user(*)
  Errors:  user_not_found, user_changed, user_being_deleted
  Include: user_indexes, end_sessions
]]
local function current(id, version)
  local text = redis.call('GET', key.user(id))
  if not text then return nil, refuse('user_not_found') end
  local user = cjson.decode(text)
  if given(user.deleting) then return nil, refuse('user_being_deleted') end
  if user.version ~= version then return nil, refuse('user_changed') end
  return user
end

local function ends_sessions(before, after)
  local away = after.accountStatus == 'suspended' or after.accountStatus == 'disabled'
  local changed = value_at(before, {'passwordChangedAt'}) ~= value_at(after, {'passwordChangedAt'})
  return away or changed or before.role ~= after.role
end

local function rewrite(id, before, document, created)
  local after = cjson.decode(document)
  redis.call('SET', key.user(id), document)
  if ends_sessions(before, after) then end_sessions(id) end
  place(id, before, after, created)
end
