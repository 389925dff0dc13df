--[[
  A page does not move after all: there are comments at the new address. It keeps its own.

  Keys:  page(page_id)
  Input: page_id string, url string
]]
if redis.call('EXISTS', key.page(page_id)) == 1 then
  redis.call('HSET', key.page(page_id), 'url', url, 'moved_to', '')
end
