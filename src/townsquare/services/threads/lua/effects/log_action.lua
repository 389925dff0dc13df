--[[
  Append an action to the moderation log of a site. The oldest entries are removed.

  Keys:    site_log(site_id)
  Input:   site_id string, entry string, now integer
]]
local log = key.site_log(site_id)
redis.call('ZADD', log, now, entry)
redis.call('ZREMRANGEBYRANK', log, 0, -const.LOG_KEPT - 1)
