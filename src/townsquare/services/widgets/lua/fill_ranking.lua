--[[
  Replace all entries, best first, and the settings if there are any; no entries clear the ranking.

  Keys:    ranking(id), ranking_owner(id), ranking_scores(id), ranking_entries(id), ranking_meta(id)
  Input:   id string, owner string, entries json, last_submit string?, max_entries integer?,
           sort_order string?, meta string?
  Errors:  widget_not_found, wrong_token
  Include: active_widget, ranking
]]
local record = active_widget(key.ranking(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.ranking_owner(id)) ~= owner then return refuse('wrong_token') end

if max_entries then record.maxEntries = max_entries end
if sort_order then record.sortOrder = sort_order end
if meta then redis.call('SET', key.ranking_meta(id), meta) end
redis.call('DEL', key.ranking_scores(id), key.ranking_entries(id))
for _, entry in ipairs(entries) do
  put_entry(record, entry.name, tonumber(entry.score), present(entry.displayScore) or nil, entry.createdAt)
end
trim_ranking(record)
record.lastSubmit = last_submit or cjson.null
save_ranking(record)
