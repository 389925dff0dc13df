--[[
  Enter a score, if it is better than the one that this name has and good enough for a place. Only then
  has the visitor to wait before the next.

  Keys:    ranking(id), ranking_scores(id), ranking_entries(id), ranking_meta(id), ranking_submit(id, visitor),
           ranking_submitters(id)
  Input:   id string, visitor string, name string, score number, display string?, now integer, stamp string,
           limit integer
  Output:  accepted boolean, rank integer, url string, sort_order string, max_entries integer,
           total_entries integer, last_submit string, meta string, rows of name, score, note, webhook string
  Errors:  widget_not_found, cooldown
  Include: active_widget, ranking, cooldown, idempotency
]]
local record = active_widget(key.ranking(id))
if not record then return refuse('widget_not_found') end
local left = waiting_ms(key.ranking_submitters(id), key.ranking_submit(id, visitor), visitor, now, lifetime.ranking_submit * 1000)
if left then return refuse('cooldown', left) end

local function better(than)
  if record.sortOrder == 'asc' then return score < than end
  return score > than
end

local function outcome(accepted, rank)
  remember_result(accepted .. ' ' .. rank)
  return {accepted, rank, unpack(ranking_view(record, limit))}
end

local known = redis.call('HGET', key.ranking_entries(id), name)
if known then
  local member = cjson.decode(known).member
  if not better(tonumber(redis.call('ZSCORE', key.ranking_scores(id), member))) then
    return outcome(0, rank_of(record, member))
  end
elseif redis.call('ZCARD', key.ranking_scores(id)) >= record.maxEntries and not better(worst_score(record)) then
  return outcome(0, 0)
end

local member = put_entry(record, name, score, display, stamp)
trim_ranking(record)
record.lastSubmit = stamp
save_ranking(record)
begin_wait(key.ranking_submitters(id), key.ranking_submit, id, visitor, now, stamp, lifetime.ranking_submit * 1000)
return outcome(1, rank_of(record, member))
