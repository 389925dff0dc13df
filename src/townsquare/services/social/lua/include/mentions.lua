--[[
  mentions_in(text): the names after an @ in a text, as a set; at most const.MENTIONS.
]]
local function mentions_in(text)
  local names, count = {}, 0
  for name in string.gmatch(' ' .. text, '[^%w_.@/%-]@([%w_.%-]+)') do
    name = string.gsub(name, '%.+$', '')
    if #name > 0 and #name <= const.NAME_LENGTH and not names[name] and count < const.MENTIONS then
      names[name], count = true, count + 1
    end
  end
  return names
end
