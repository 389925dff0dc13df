--[[
  Use the link for the first admin, once. A wrong token changes nothing.

  Keys:   first_admin()
  Input:  digest string
  Output: right boolean
]]
if redis.call('GET', key.first_admin()) ~= digest then return 0 end
redis.call('DEL', key.first_admin())
return 1
