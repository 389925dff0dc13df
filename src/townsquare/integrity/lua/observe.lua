--[[
  Run many reads atomically. The digest shows later whether a reply has changed. Follows read.lua.

  Input:  how many of the commands go into the digest, then each command as its length and its words.
  Output: digest, replies
]]
local digested, place, commands = tonumber(ARGV[1]), 2, {}
for _ = place, #ARGV do
  if place > #ARGV then break end
  local words = tonumber(ARGV[place])
  commands[#commands + 1] = {unpack(ARGV, place + 1, place + words)}
  place = place + words + 1
end

local replies, seen = {}, {}
for number, command in ipairs(commands) do
  local reply = read(command)
  replies[number] = reply
  if number <= digested then
    local running = command[1] == 'PTTL' and type(reply) == 'number' and reply > 0
    seen[number] = running and 1 or reply
  end
end
return {redis.sha1hex(cmsgpack.pack(seen)), replies}
