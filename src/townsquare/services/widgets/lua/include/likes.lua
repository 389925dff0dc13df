--[[
  likes(record, liked): {timezone, url, total, whether the visitor likes it, icon, last like, webhook}.

  Keys: like_total(*)
]]
local function likes(record, liked)
  return {
    record.timezone, record.url, tonumber(redis.call('GET', key.like_total(record.id)) or 0),
    liked and 1 or 0, record.icon, given(record.lastLike), given(record.webhook),
  }
end
