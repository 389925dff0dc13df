--[[
  Store the progress of an import, unless another import has begun since.

  Keys:   site_import(site_id)
  Input:  site_id string, id string, state string
]]
local text = redis.call('GET', key.site_import(site_id))
if text and cjson.decode(text).id == id then
  redis.call('SET', key.site_import(site_id), state, 'EX', lifetime.site_import)
end
