--[[
  A user types on a page, perhaps a reply, or has stopped. The message lists all who type now.

  Keys:   page_typing(page_id), page_channel(page_id)
  Input:  page_id string, user_id string, typing boolean, reply_to string?, now integer
  Include: deadlines
]]
local name = key.page_typing(page_id)
local before = tonumber(redis.call('ZSCORE', name, user_id) or 0)
if typing then redis.call('ZADD', name, now, user_id) else redis.call('ZREM', name, user_id) end
drop_outside(name, now, const.TYPING_MS)
if typing and ms_left(before, now, const.TYPING_TOLD_MS) > 0 then return end
local users = redis.call('ZREVRANGE', name, 0, const.TYPING_SHOWN - 1)
local message = {type = 'typing', users = #users > 0 and users or nil}
if typing then message.user, message.reply_to = user_id, reply_to end
redis.call('PUBLISH', key.page_channel(page_id), cjson.encode(message))
