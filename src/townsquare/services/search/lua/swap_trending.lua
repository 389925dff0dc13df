--[[
  Replace the trending films as a whole: written under another key, then renamed into place. Whoever reads sees the
  old set or the new one. No ids change nothing.

  Keys:   trending(), trending_next(), trending_refreshed()
  Input:  ids json, day string
  Output: count integer
]]
if #ids == 0 then return 0 end
redis.call('DEL', key.trending_next())
for _, id in ipairs(ids) do redis.call('SADD', key.trending_next(), string.format('%.0f', id)) end
local count = redis.call('SCARD', key.trending_next())
redis.call('RENAME', key.trending_next(), key.trending())
redis.call('SET', key.trending_refreshed(), day)
return count
