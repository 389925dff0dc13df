--[[
  Give a name that is in the ranking another score, better or not.

  Keys:    ranking(id), ranking_owner(id), ranking_scores(id), ranking_entries(id)
  Input:   id string, owner string, name string, score number, display string?, stamp string
  Errors:  widget_not_found, wrong_token, entry_not_found
  Include: active_widget, ranking
]]
local record = active_widget(key.ranking(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.ranking_owner(id)) ~= owner then return refuse('wrong_token') end
if redis.call('HEXISTS', key.ranking_entries(id), name) == 0 then return refuse('entry_not_found') end

put_entry(record, name, score, display, stamp)
save_ranking(record)
