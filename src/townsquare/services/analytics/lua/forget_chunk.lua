--[[
  Delete some of what is known of an actor: these steps of the journey with their raw events, these
  histories, ratings and wishes. When nothing was left to name, the job is done.

  Keys:    forgetting(actor), seen(actor), journey(actor), viewed_user(actor), views_user(actor, *),
           rated_user(actor), wishlist_user(actor), sequence(source)
  Effects: events_search(*, *), events_interaction(*, *), events_session(*, *)
  Runs:    tally_products
  Include: numbering, jobs
  Input:   actor string, source string, steps json, viewed json, rated json, wished json, now integer
  Output:  removed integer
]]
local job = redis.call('GET', key.forgetting(actor))
if not job then return 0 end

local removed = #steps + #viewed + #rated + #wished
if removed == 0 then
  redis.call('DEL', key.seen(actor), key.forgetting(actor))
  finish_job(job)
  return 0
end

for _, step in ipairs(steps) do
  redis.call('ZREM', key.journey(actor), step.entry)
  local raw = key['events_' .. step.kind]
  if raw then emit('HDEL', raw(step.day, step.at), step.id) end
end
for _, name in ipairs(viewed) do
  redis.call('DEL', key.views_user(actor, name))
  redis.call('SREM', key.viewed_user(actor), name)
end

local shelves = {}
local function on_shelf(thing)
  shelves[thing.shelf] = shelves[thing.shelf] or {stars = {}, wishes = {}}
  return shelves[thing.shelf]
end
for _, thing in ipairs(rated) do
  redis.call('ZREM', key.rated_user(actor), thing.product)
  on_shelf(thing).stars[thing.product] = 0
end
for _, thing in ipairs(wished) do
  redis.call('SREM', key.wishlist_user(actor), thing.product)
  on_shelf(thing).wishes[thing.product] = 0
end

local number, keep_number = numbering(source, now)
for shelf, its in pairs(shelves) do
  run.tally_products(shelf, source, number(), actor, {}, its.stars, its.wishes)
end
if next(shelves) then keep_number() end
return removed
