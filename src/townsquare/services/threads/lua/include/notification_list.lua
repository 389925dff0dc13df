--[[
  change_notifications(user_id, change): replace each notification of a user by the result of `change`, or remove it
  on nil, and count the unread ones again. Returns the number of changed notifications and of unread ones.

  Keys: user_notifications(*), user_unread(*)
]]
local function change_notifications(user_id, change)
  local list, unread, changed = key.user_notifications(user_id), 0, 0
  -- bounded: only the newest are kept
  local kept = redis.call('ZRANGE', list, 0, -1, 'WITHSCORES')
  for place = 1, #kept, 2 do
    local before = cjson.decode(kept[place])
    local was_read, was_about = before.read, before.comment_id
    local after = change(before)
    if not after or after.read ~= was_read or after.comment_id ~= was_about then
      changed = changed + 1
      redis.call('ZREM', list, kept[place])
      if after then redis.call('ZADD', list, kept[place + 1], cjson.encode(after)) end
    end
    if after and not after.read then unread = unread + 1 end
  end
  if changed > 0 then redis.call('SET', key.user_unread(user_id), unread) end
  return changed, unread
end
