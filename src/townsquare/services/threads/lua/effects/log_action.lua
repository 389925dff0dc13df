--[[
  Write down what a moderator did; the oldest entries go.

  Keys:    site_log(site_id)
  Input:   site_id string, entry string, now integer
]]
local log = key.site_log(site_id)
redis.call('ZADD', log, now, entry)
redis.call('ZREMRANGEBYRANK', log, 0, -const.LOG_KEPT - 1)
