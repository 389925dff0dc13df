--[[
  The same encodings as keyspace/parts.py, for key parts that a script found in the data.
]]
local function percent(character)
  return (string.gsub(character, '.', function(byte) return string.format('%%%02X', string.byte(byte)) end))
end

local WIDE_SPACES = {
  '\194\133', '\194\160', '\225\154\128', '\226\128[\128-\138]', '\226\128[\168\169\175]', '\226\129\159',
  '\227\128\128',
}

local function encode_text(text)
  text = string.gsub(text, '[%z\1-\32\127%%:{}]', percent)
  if string.find(text, '[\128-\255]') then
    for _, space in ipairs(WIDE_SPACES) do text = string.gsub(text, space, percent) end
  end
  return text
end

local function encode_component(text)
  return (string.gsub(text, '[^%w_.~-]', percent))
end
