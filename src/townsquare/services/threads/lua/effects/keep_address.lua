--[[
  Undo the move of a page: the new URL has comments of its own.

  Keys:  page(page_id)
  Input: page_id string, url string
]]
if redis.call('EXISTS', key.page(page_id)) == 1 then
  redis.call('HSET', key.page(page_id), 'url', url, 'moved_to', '')
end
