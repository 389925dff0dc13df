--[[
  End a step of the job that queues mail to followers: done up to this cursor; 0 means completely.

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
