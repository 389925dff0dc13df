--[[
  Set the URL of the page in a comment.

  Keys:  comment(comment_id)
  Input: comment_id string, url string
]]
if redis.call('EXISTS', key.comment(comment_id)) == 1 then
  redis.call('HSET', key.comment(comment_id), 'page_url', url)
end
