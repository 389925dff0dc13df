--[[
  notify(username, what, by, now): add a notification to those of a user, or move it to the top as unread. `by` is the
  name of the user who caused it, empty for a moderator. Nothing happens if one of both blocks the other, if the user
  mutes the other, has turned this type off, or has no account.
  drop_notice(username, what): remove it.

  Keys: user(*), notices(*), unread_notices(*), blocking(*), blocked_by(*), muting(*)
]]
local function drop_notice(username, what)
  if redis.call('ZREM', key.notices(username), what) == 1 then redis.call('SREM', key.unread_notices(username), what) end
end

local function notify(username, what, by, now)
  local account, deleting, off = unpack(redis.call('HMGET', key.user(username), 'owner_account', 'deleting', 'notices_off'))
  if not account or deleting or by == username then return end
  if string.find(' ' .. (off or '') .. ' ', ' ' .. string.match(what, '^%a+') .. ' ', 1, true) then return end
  for _, hidden in ipairs({key.blocking(username), key.blocked_by(username), key.muting(username)}) do
    if redis.call('ZSCORE', hidden, by) then return end
  end
  local list = key.notices(username)
  if redis.call('ZADD', list, 'GT', 'CH', now, what) == 0 then return end -- a second run, perhaps after it was read
  redis.call('SADD', key.unread_notices(username), what)
  local over = redis.call('ZCARD', list) - const.NOTICES_KEPT
  if over <= 0 then return end
  local oldest = redis.call('ZPOPMIN', list, over)
  for place = 1, #oldest, 2 do redis.call('SREM', key.unread_notices(username), oldest[place]) end
end
