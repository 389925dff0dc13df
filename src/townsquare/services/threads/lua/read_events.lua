--[[
  The live events of a page after an event, the newest event, and the event since which the stream is complete. A
  page without recent events has the moment before this one as its newest event.

  Keys:   page_events(page_id)
  Input:  page_id string, after string?
  Output: start string, newest string, events json
]]
local stream = key.page_events(page_id)
local seconds, microseconds = unpack(redis.call('TIME'))
local now = tonumber(seconds) * 1000 + math.floor(tonumber(microseconds) / 1000)
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local newest = last and last[1] or string.format('%.0f-0', now - 1)
if not after then return {newest, newest, {}} end

local start = string.format('%.0f-0', now - 1000 * const.EVENTS_SECONDS + 1)
if redis.call('XLEN', stream) >= const.EVENTS_KEPT then
  start = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1][1]
end
local events = {}
-- bounded: EVENTS_KEPT
for _, entry in ipairs(redis.call('XRANGE', stream, '(' .. after, '+')) do
  events[#events + 1] = {entry[1], entry[2][2]}
end
return {start, newest, events}
