--[[
  like_view(record, liked): {timezone, url, total, whether the visitor likes it, icon, last like, webhook}.

  Keys: like_total(*)
]]
local function like_view(record, liked)
  return {
    record.timezone, record.url, tonumber(redis.call('GET', key.like_total(record.id)) or 0),
    liked and 1 or 0, record.icon, present(record.lastLike), present(record.webhook),
  }
end
