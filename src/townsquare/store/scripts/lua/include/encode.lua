--[[
  The same encodings as keyspace/parts.py, for key parts that a script found in the data.
]]
local function percent(character)
  return (string.gsub(character, '.', function(byte) return string.format('%%%02X', string.byte(byte)) end))
end

local function encode_wide_spaces(text)
  for _, space in ipairs({
    '\194\133', '\194\160', '\225\154\128', '\226\128[\128-\138]', '\226\128[\168\169\175]', '\226\129\159',
    '\227\128\128',
  }) do
    text = string.gsub(text, space, percent)
  end
  return text
end

local function encode_text(text)
  if not string.find(text, '[^%w_]') then return text end
  text = string.gsub(text, '[%z\1-\32\127%%:{}]', percent)
  return string.find(text, '[\194\225-\227]') and encode_wide_spaces(text) or text
end

local function encode_component(text)
  return (string.gsub(text, '[^%w_.~-]', percent))
end
