--[[
  Run one write if no reply to the earlier reads has changed. Follows read.lua.

  Input:  the digest that observe.lua gave, the number of words of the write, the write, then each command
          that was read as its length and its words.
  Output: 1 if it was written, 0 if something has changed
]]
local digest, words = ARGV[1], tonumber(ARGV[2])
local write = {unpack(ARGV, 3, 2 + words)}

local seen, place = {}, 3 + words
for _ = place, #ARGV do
  if place > #ARGV then break end
  local length = tonumber(ARGV[place])
  local command = {unpack(ARGV, place + 1, place + length)}
  place = place + length + 1
  local reply = read(command)
  local running = command[1] == 'PTTL' and type(reply) == 'number' and reply > 0
  seen[#seen + 1] = running and 1 or reply
end
if redis.sha1hex(cmsgpack.pack(seen)) ~= digest then return 0 end

if write[1] == 'SHORTEN' then
  if redis.call('PTTL', write[2]) > tonumber(write[3]) then redis.call('PEXPIRE', write[2], write[3]) end
  return 1
end
local reply = redis.pcall(unpack(write))
if type(reply) == 'table' and reply.err then return reply end
return 1
