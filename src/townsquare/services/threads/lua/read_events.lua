--[[
  Live messages of a page after an event, and whether that is all there was since. Where nothing has happened
  for a while the newest event is the moment before this one.

  Keys:   page_events(page_id)
  Input:  page_id string, after string?
  Output: complete boolean, newest string, events json
]]
local stream = key.page_events(page_id)
local seconds, microseconds = unpack(redis.call('TIME'))
local now = tonumber(seconds) * 1000 + math.floor(tonumber(microseconds) / 1000)
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local newest = last and last[1] or string.format('%.0f-0', now - 1)
if not after then return {1, newest, {}} end

local since = tonumber(string.match(after, '^%d+'))
local events = {}
-- bounded: EVENTS_KEPT
for _, entry in ipairs(redis.call('XRANGE', stream, '(' .. after, '+')) do
  events[#events + 1] = {entry[1], entry[2][2]}
end
local complete = since <= now and since > now - 1000 * const.EVENTS_SECONDS and #events < const.EVENTS_KEPT
return {complete and 1 or 0, newest, events}
