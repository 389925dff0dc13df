--[[
  Return the signing keys, newest first. Adds a new key if the newest is too old or is the one to replace, and
  removes keys whose tokens have all expired.

  Keys:   signing_keys()
  Input:  kid string, secret string, now_iso string, renew_before string, replaces string?, drop_before string
  Output: text string
]]
local text = redis.call('GET', key.signing_keys())
local keys = text and cjson.decode(text).keys or {}
local newest = keys[1]
if newest and newest.createdAt > renew_before and newest.kid ~= replaces then return text end

if newest then newest.retiresAt = now_iso end
local kept = {{kid = kid, key = secret, createdAt = now_iso, retiresAt = cjson.null}}
for _, one in ipairs(keys) do
  if one.retiresAt > drop_before then kept[#kept + 1] = one end
end
text = cjson.encode({keys = kept})
redis.call('SET', key.signing_keys(), text)
return text
