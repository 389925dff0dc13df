--[[
  start_job(id, kind, args, now, wait): mark long work on this home and put it where the runner looks. `wait` are
  the milliseconds until it is due; nil for at once.
  finish_job(id): the last step of the work calls it.

  Keys:    system.job(*)
  Effects: system.jobs_open()
]]
local function start_job(id, kind, args, now, wait)
  redis.call('HSET', key.job(id), 'id', id, 'kind', kind, 'args', cjson.encode(args), 'state', 'open',
    'done', 0, 'started_at', now, 'updated_at', now)
  emit('ZADD', key.jobs_open(), string.format('%.0f', now + (wait or 0)), id)
end

local function finish_job(id)
  redis.call('DEL', key.job(id))
  emit('ZREM', key.jobs_open(), id)
end
