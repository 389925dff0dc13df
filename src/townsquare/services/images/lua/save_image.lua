--[[
  Record an image whose files are stored.

  Keys:   user_images(user_id)
  Input:  user_id string, id string, record string
  Errors: too_many_images
]]
local images = key.user_images(user_id)
if redis.call('HLEN', images) >= const.IMAGES_PER_USER then return refuse('too_many_images') end
redis.call('HSET', images, id, record)
