--[[
  Change what is given of a ranking: settings, title and description, or all entries (best first; none clear it).
  The last places go if it keeps fewer.

  Keys:    ranking(id), ranking_owner(id), ranking_scores(id), ranking_entries(id), ranking_meta(id)
  Input:   id string, owner string, meta json, max_entries integer?, sort_order string?, entries string?,
           last_submit string?
  Errors:  widget_not_found, wrong_token
  Include: active_widget, ranking
]]
local record = active_widget(key.ranking(id))
if not record then return refuse('widget_not_found') end
if redis.call('GET', key.ranking_owner(id)) ~= owner then return refuse('wrong_token') end

local kept = cjson.decode(redis.call('GET', key.ranking_meta(id)) or '{}')
for field, value in pairs(meta) do kept[field] = value end
redis.call('SET', key.ranking_meta(id), cjson.encode(kept))
if max_entries then record.maxEntries = max_entries end
if sort_order then record.sortOrder = sort_order end
if entries then
  redis.call('DEL', key.ranking_scores(id), key.ranking_entries(id))
  for _, entry in ipairs(cjson.decode(entries)) do
    put_entry(record, entry.name, tonumber(entry.score), present(entry.displayScore) or nil, entry.createdAt)
  end
  record.lastSubmit = last_submit or cjson.null
end
trim_ranking(record)
save_ranking(record)
