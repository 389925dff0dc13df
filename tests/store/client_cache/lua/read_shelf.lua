--[[
  The ids of the notes on a shelf: the skeleton of a page.

  Keys:   shelf(name)
  Input:  name string
  Output: ids [string]
]]
return redis.call('ZRANGE', key.shelf(name), 0, -1)  -- bounded: a test fills it
