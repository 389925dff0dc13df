--[[
  start_job(id, kind, args, now): mark long work on this home and put it where the runner looks.
  finish_job(id): the last step of the work calls it.

  Keys:    system.job(*)
  Effects: system.jobs_open()
]]
local function start_job(id, kind, args, now)
  redis.call('HSET', key.job(id), 'id', id, 'kind', kind, 'args', cjson.encode(args), 'state', 'open',
    'done', 0, 'started_at', now, 'updated_at', now)
  emit('ZADD', key.jobs_open(), now, id)
end

local function finish_job(id)
  redis.call('DEL', key.job(id))
  emit('ZREM', key.jobs_open(), id)
end
