--[[
  Count views of products on one shelf, and note what an actor rates (0 stars: no more) and wishes for.

  Keys:    shelf_sources(shelf), views(*)
  Effects: top(*)
  Include: first_time, product_figures
  Input:   shelf integer, source string, sequence string, actor string, counts json, stars json, wishes json
]]
if not first_time(key.shelf_sources(shelf), source, sequence) then return end

for name, count in pairs(counts) do
  emit('ZADD', key.top('viewed'), 'GT', redis.call('INCRBY', key.views(name), count), name)
end
for name, given in pairs(stars) do set_rating(name, actor, given) end
for name, wished in pairs(wishes) do set_wish(name, actor, wished == 1) end
