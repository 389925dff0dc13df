--[[
  derived_id(of, now): a UUID in the bucket of the id `of`.
]]
local function derived_id(of, now)
  local hash = redis.sha1hex(of .. string.format(' %.0f', now))
  return table.concat({
    string.sub(hash, 1, 8), string.sub(hash, 9, 12), string.sub(hash, 13, 16), string.sub(hash, 17, 20),
    string.sub(hash, 21, 29) .. string.sub(of, -3),
  }, '-')
end
