--[[
  Deadlines that hold when the clock is set back. The clocks of two servers may differ by CLOCK_SKEW_MS; a time that
  lies further ahead was stored before the clock was set back, and limits nobody any longer.

  is_ahead(at, now): whether a stored time lies further ahead than clocks differ.
  ms_left(at, now, span): milliseconds until `span` has passed since `at`, at most `span`; 0 if it has passed.
  drop_outside(name, now, span): remove the members of a sorted set of times that are not of the last `span`.
]]
local function is_ahead(at, now) return tonumber(at) > now + const.CLOCK_SKEW_MS end

local function ms_left(at, now, span)
  if is_ahead(at, now) then return 0 end
  return math.max(0, math.min(span, tonumber(at) + span - now))
end

local function drop_outside(name, now, span)
  redis.call('ZREMRANGEBYSCORE', name, '-inf', string.format('%.0f', now - span))
  redis.call('ZREMRANGEBYSCORE', name, string.format('(%.0f', now + const.CLOCK_SKEW_MS), '+inf')
end
