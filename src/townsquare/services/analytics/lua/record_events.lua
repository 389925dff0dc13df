--[[
  Record the events of one actor, in the order of their time. Those whose given id was seen in the last
  day are left out. The rest go to the journey and the histories of the actor, and from here to the raw
  events, the products and the periods.

  Keys:    forgetting(actor), seen(actor), journey(actor), viewed_user(actor), views_user(actor, *),
           rated_user(actor), wishlist_user(actor), sequence(source)
  Effects: events_search(*, *), events_interaction(*, *), events_session(*, *), active(*)
  Runs:    tally_products, tally_period
  Include: drop_before, numbering
  Input:   actor string, source string, events json, ttls json, figures_ttls json, now integer
  Output:  recorded integer, duplicates integer
  Errors:  being_forgotten
]]
if redis.call('EXISTS', key.forgetting(actor)) == 1 then return refuse('being_forgotten') end

local fresh, given = {}, {}
for _, event in ipairs(events) do
  local name = event.given
  local known = name and (given[name] or redis.call('ZSCORE', key.seen(actor), name))
  if not known or tonumber(known) <= now - lifetime.seen * 1000 then
    fresh[#fresh + 1] = event
    if name then given[name] = now end
  end
end
if #fresh == 0 then return {0, #events} end

local shelves, periods, histories, active_days = {}, {}, {}, {}

local function on_shelf(event)
  local shelf = shelves[event.shelf] or {counts = {}, stars = {}, wishes = {}}
  shelves[event.shelf] = shelf
  return shelf
end

local function in_period(name)
  local period = periods[name] or {counts = {}, terms = {}, kinds = {}}
  periods[name] = period
  return period
end

local function add(counts, name)
  counts[name] = (counts[name] or 0) + 1
end

local function add_to_periods(event, what)
  for _, name in ipairs({event.day, event.week, event.month}) do add(in_period(name)[what], event.what) end
end

local function keep_raw(event)
  local target = key['events_' .. event.kind](event.day, event.at)
  emit('HSET', target, event.id, event.raw)
  emit('EXPIRE', target, const.EVENT_SECONDS)
end

local record = {interaction = keep_raw, session = keep_raw}

function record.view(event)
  local history = histories[event.what] or {}
  histories[event.what] = history
  history[#history + 1] = event.at
  history[#history + 1] = event.id
  add(on_shelf(event).counts, event.what)
  add_to_periods(event, 'counts')
end

function record.search(event)
  keep_raw(event)
  add_to_periods(event, 'terms')
end

function record.rating(event)
  redis.call('ZADD', key.rated_user(actor), event.value, event.what)
  on_shelf(event).stars[event.what] = event.value
end

function record.wishlist(event)
  redis.call(event.value == 1 and 'SADD' or 'SREM', key.wishlist_user(actor), event.what)
  on_shelf(event).wishes[event.what] = event.value
end

local steps = {}
for _, event in ipairs(fresh) do
  record[event.kind](event)
  steps[#steps + 1] = event.at
  steps[#steps + 1] = event.entry
  add(in_period(event.day).kinds, event.kind .. ':' .. event.hour)
  active_days[event.day] = true
end

redis.call('ZADD', key.journey(actor), unpack(steps))
redis.call('EXPIRE', key.journey(actor), lifetime.journey)
drop_before(key.journey(actor), now - lifetime.journey * 1000)

if next(given) then
  local seen = {}
  for name, time in pairs(given) do
    seen[#seen + 1] = time
    seen[#seen + 1] = name
  end
  redis.call('ZADD', key.seen(actor), unpack(seen))
  redis.call('EXPIRE', key.seen(actor), lifetime.seen)
  drop_before(key.seen(actor), now - lifetime.seen * 1000)
end

for product, history in pairs(histories) do
  local name = key.views_user(actor, product)
  redis.call('ZADD', name, unpack(history))
  redis.call('ZREMRANGEBYRANK', name, 0, -1 - const.HISTORY_LENGTH)
  redis.call('EXPIRE', name, lifetime.views_user)
  redis.call('SADD', key.viewed_user(actor), product)
end
if next(histories) then redis.call('EXPIRE', key.viewed_user(actor), lifetime.viewed_user) end

local number, keep_number = numbering(source, now)
for shelf, its in pairs(shelves) do
  run.tally_products(shelf, source, number(), actor, its.counts, its.stars, its.wishes)
end
for name, its in pairs(periods) do
  run.tally_period(name, source, number(), ttls[name], figures_ttls[name] or 0, its.counts, its.terms, its.kinds)
end
keep_number()
for day in pairs(active_days) do
  emit('PFADD', key.active(day), actor)
  emit('PEXPIRE', key.active(day), figures_ttls[day])
end
return {#fresh, #events - #fresh}
