--[[
  Delete raw events of an actor who is being deleted, with these steps of the journey.

  Keys:    forgetting(actor), journey(actor)
  Effects: events_search(*, *), events_interaction(*, *), events_session(*, *)
  Input:   actor string, steps json
]]
if redis.call('EXISTS', key.forgetting(actor)) == 0 then return end
for _, step in ipairs(steps) do
  redis.call('ZREM', key.journey(actor), step.entry)
  local raw = key['events_' .. step.kind]
  if raw then emit('HDEL', raw(step.day, step.at), step.id) end
end
