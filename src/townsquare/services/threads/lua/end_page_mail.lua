--[[
  Followers of a page up to this cursor are told; 0: all of them.

  Keys:  page_mailing(page_id)
  Input: page_id string, job string, cursor string
]]
local mailing = key.page_mailing(page_id)
if redis.call('HGET', mailing, 'job') ~= job then return end
if cursor == '0' then
  redis.call('HDEL', mailing, 'ids', 'cursor')
else
  redis.call('HSET', mailing, 'cursor', cursor)
end
