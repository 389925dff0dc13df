--[[
  The best entries of a ranking.

  Keys:    ranking(id), ranking_scores(id), ranking_entries(id), ranking_meta(id)
  Input:   id string, limit integer
  Output:  accepted boolean, rank integer, url string, sort_order string, max_entries integer,
           total_entries integer, last_submit string, meta string, rows of name, score, note, webhook string
  Errors:  widget_not_found
  Include: active_widget, ranking
]]
local record = active_widget(key.ranking(id))
if not record then return refuse('widget_not_found') end
return {0, 0, unpack(ranking_view(record, limit))}
