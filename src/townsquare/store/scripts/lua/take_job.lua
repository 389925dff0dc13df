--[[
  Take a job, or keep it, for a while: nobody else works on it until then. Notes the steps behind us. One that has
  failed rests: twice as long after each failure in a row.

  Keys:    system.job(id)
  Effects: system.jobs_open()
  Input:   id string, token string, now integer, lease_ms integer, done integer, error string
  Output:  taken boolean, exists boolean, kind string, args string, failed boolean
  Include: deadlines
]]
local name = key.job(id)
local job = redis.call('HMGET', name, 'lease', 'lease_until', 'kind', 'args', 'state', 'updated_at')
if not job[3] then return {0, 0, '', '', 0} end
local failed = job[5] == 'failed' and 1 or 0
local held = job[1] and job[1] ~= token and tonumber(job[2]) > now and not is_ahead(job[6], now)
if held then return {0, 1, job[3], job[4], failed} end

local lease_until = now + lease_ms
if error ~= '' then
  local failures = redis.call('HINCRBY', name, 'failures', 1)
  lease_until = now + math.min(lease_ms * 2 ^ (failures - 1), const.LONGEST_RETRY_MS)
  redis.call('HSET', name, 'error', error, 'state', 'failed')
  emit('ZADD', key.jobs_open(), 'XX', string.format('%.0f', lease_until), id)
elseif done > 0 then
  redis.call('HINCRBY', name, 'done', done)
  if failed == 1 then redis.call('HSET', name, 'state', 'open', 'error', '', 'failures', 0) end
end
redis.call('HSET', name, 'lease', token, 'lease_until', string.format('%.0f', lease_until), 'updated_at', now)
return {1, 1, job[3], job[4], failed}
