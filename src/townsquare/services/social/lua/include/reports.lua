--[[
  count_reports(id, post): the number of reports as their set is, and the place in the moderators' list.

  Keys:    post(*), post_reports(*)
  Effects: reports_open()
]]
local function count_reports(id, post)
  local count = redis.call('ZCARD', key.post_reports(id))
  redis.call('HSET', key.post(id), 'reportsCount', count)
  if count > 0 and not post.banned then
    emit('ZADD', key.reports_open(), count, id)
  else
    emit('ZREM', key.reports_open(), id)
  end
end
