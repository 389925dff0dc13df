--[[
  Delete the record of an image; with `unused_only`, only if nothing uses it.

  Keys:   user_images(user_id)
  Input:  user_id string, id string, unused_only boolean
  Output: kept boolean
]]
local images = key.user_images(user_id)
local text = redis.call('HGET', images, id)
if text and unused_only and cjson.decode(text).used then return 1 end
redis.call('HDEL', images, id)
return 0
