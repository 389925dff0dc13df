--[[
  Add the counts of one process to the usage of a site in a month.

  Keys:   site(site_id), site_usage(site_id, month), site_visitors(site_id, month)
  Input:  site_id string, month string, counts json, visitors [string]
]]
if redis.call('EXISTS', key.site(site_id)) == 0 then return end
local usage, seen = key.site_usage(site_id, month), key.site_visitors(site_id, month)
for name, count in pairs(counts) do redis.call('HINCRBY', usage, name, count) end
for _, visitor in ipairs(visitors) do redis.call('PFADD', seen, visitor) end
for name, seconds in pairs({[usage] = lifetime.site_usage, [seen] = lifetime.site_visitors}) do
  if redis.call('TTL', name) == -1 then redis.call('EXPIRE', name, seconds) end
end
