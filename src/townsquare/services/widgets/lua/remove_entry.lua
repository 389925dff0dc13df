--[[
  Take a name out of the ranking.

  Keys:    ranking(id), ranking_owner(id), ranking_scores(id), ranking_entries(id)
  Input:   id string, owner string, name string
  Errors:  widget_not_found, wrong_token, entry_not_found
  Include: active_widget, ranking
]]
local record = active_widget(key.ranking(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.ranking_owner(id)) ~= owner then return refuse('wrong_token') end
local known = redis.call('HGET', key.ranking_entries(id), name)
if not known then return refuse('entry_not_found') end

drop_entry(record, cjson.decode(known).member)
save_ranking(record)
