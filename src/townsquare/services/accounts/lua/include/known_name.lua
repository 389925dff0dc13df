--[[
  known_name(text): a snapshot of a user's record with the name only, as JSON. Services apply the user again from this
  snapshot: if the name changes before they do, they find what they have under the former name.
]]
local function known_name(text)
  local user = cjson.decode(text)
  local known = {id = user.id}
  if user.username ~= cjson.null then known.username = user.username end
  if user.left and #user.left > 0 then known.left = user.left end
  return cjson.encode(known)
end
