--[[
  Begin or continue the job that queues mail to the followers of a page: which comments, and how far the job is.
  Returns nothing if no comment is left.

  Keys:    page_mail(page_id), page_mailing(page_id)
  Input:   page_id string, job string
  Output:  ids [string], cursor string
  Include: jobs
]]
local mailing = key.page_mailing(page_id)
local running, ids, cursor = unpack(redis.call('HMGET', mailing, 'job', 'ids', 'cursor'))
if running == job and ids then return {cjson.decode(ids), cursor} end
local waiting = redis.call('ZRANGE', key.page_mail(page_id), 0, const.MAILED - 1)
if running ~= job or #waiting == 0 then
  if running == job then redis.call('DEL', mailing) end
  finish_job(job)
  return {{}, ''}
end
redis.call('ZREM', key.page_mail(page_id), unpack(waiting))
redis.call('HSET', mailing, 'ids', cjson.encode(waiting), 'cursor', '0')
return {waiting, '0'}
