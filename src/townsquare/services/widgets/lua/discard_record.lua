--[[
  Remove the record of a widget that cannot be one, if its digest is still the one that was seen. What it
  owned is left to the checker, which knows it from the declarations.

  Keys:    counter(id), like(id), ranking(id), bbs(id)
  Input:   kind string, id string, seen string
  Output:  removed boolean
  Include: widget_keys
]]
local name = key[kind](id)
local sort = redis.call('TYPE', name).ok
if sort == 'none' then return 0 end
if sort == 'string' and redis.sha1hex(redis.call('GET', name)) ~= seen then return 0 end
redis.call('DEL', name)
return 1
