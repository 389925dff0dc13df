--[[
  Redirect the URL of this page to another page, if this page has no comments.

  Keys:    page(page_id), page_moved(page_id)
  Refused: keep_address(other_id, url)
  Input:   page_id string, other_id string, url string
  Errors:  page_taken
]]
if redis.call('EXISTS', key.page(page_id)) == 1 then return refuse('page_taken') end
redis.call('SET', key.page_moved(page_id), other_id)
