--[[
  Delete a widget with everything of its own, at most `chunk` keys of each sort at a time. What is left is
  a job; until it is done the widget is gone for everybody and its URL is not free.

  Keys:    counter(id), like(id), ranking(id), bbs(id), counter_total(*), counter_visitors(*),
           counter_visit(*, *), counter_days(*), counter_daily(*, *), like_total(*), like_visitors(*),
           like_user(*, *), ranking_scores(*), ranking_entries(*), ranking_meta(*), ranking_submitters(*),
           ranking_submit(*, *), bbs_messages(*), bbs_edits(*), bbs_posters(*), bbs_post(*, *)
  Input:   kind string, id string, owner string?, chunk integer, job string, now integer
  Output:  removed integer, left boolean
  Errors:  widget_not_found, wrong_token
  Include: active_widget, widget_keys, jobs
]]
local whole = {
  counter = {key.counter_total, key.counter_visitors, key.counter_days},
  like = {key.like_total, key.like_visitors},
  ranking = {key.ranking_scores, key.ranking_entries, key.ranking_meta, key.ranking_submitters},
  bbs = {key.bbs_messages, key.bbs_edits, key.bbs_posters},
}
local listed = {  -- in this collection are the last parameters of those keys
  counter = {{'SPOP', key.counter_visitors, key.counter_visit}, {'SPOP', key.counter_days, key.counter_daily}},
  like = {{'SPOP', key.like_visitors, key.like_user}},
  ranking = {{'ZPOPMIN', key.ranking_submitters, key.ranking_submit}},
  bbs = {{'ZPOPMIN', key.bbs_posters, key.bbs_post}},
}

local text = redis.call('GET', record_of[kind](id))
if not text then return refuse('widget_not_found') end
if owner and redis.call('GET', owner_of[kind](id)) ~= owner then return refuse('wrong_token') end

local removed, left = 0, false
for _, sort in ipairs(listed[kind]) do
  local take, collection, name = unpack(sort)
  local members = redis.call(take, collection(id), chunk)
  local stride = take == 'ZPOPMIN' and 2 or 1
  for place = 1, #members, stride do redis.call('DEL', name(id, members[place])) end
  removed = removed + #members / stride
  if #members / stride == chunk then left = true end
end

local record = cjson.decode(text)
local begun = present(record.deleting)
if left then
  if not begun then
    record.deleting = job
    redis.call('SET', record_of[kind](id), cjson.encode(record))
    start_job(job, const.DELETE_JOB, {kind = kind, id = id}, now)
  end
  return {removed, 1}
end

for _, name in ipairs(whole[kind]) do redis.call('DEL', name(id)) end
redis.call('DEL', url_of[kind](record.url), record_of[kind](id), owner_of[kind](id))
emit('ZREM', index_of[kind](), id)
if begun then finish_job(begun) end
return {removed, 0}
