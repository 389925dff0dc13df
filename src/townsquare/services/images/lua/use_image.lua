--[[
  Note that an image is used, so that it is not deleted as abandoned.

  Keys:   user_images(user_id)
  Input:  user_id string, id string
  Output: changed boolean
  Errors: image_not_found
]]
local images = key.user_images(user_id)
local text = redis.call('HGET', images, id)
if not text then return refuse('image_not_found') end
local record = cjson.decode(text)
if record.used then return 0 end
record.used = true
redis.call('HSET', images, id, cjson.encode(record))
return 1
