--[[
  Copy the types of notifications that an account has turned off to its profile.

  Keys:    user(username)
  Input:   username string, account string, off string?
]]
local name = key.user(username)
if redis.call('HGET', name, 'owner_account') ~= account then return end
if off then redis.call('HSET', name, 'notices_off', off) else redis.call('HDEL', name, 'notices_off') end
