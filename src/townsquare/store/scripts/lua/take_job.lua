--[[
  Take a job, or keep it, for a while: nobody else works on it until then. Notes the steps behind us.

  Keys:   system.job(id)
  Input:  id string, token string, now integer, lease_ms integer, done integer, error string
  Output: taken boolean, exists boolean, kind string, args string
]]
local name = key.job(id)
local job = redis.call('HMGET', name, 'lease', 'lease_until', 'kind', 'args')
if not job[3] then return {0, 0, '', ''} end
local held = job[1] and job[1] ~= token and tonumber(job[2]) > now
if held then return {0, 1, job[3], job[4]} end

redis.call('HSET', name, 'lease', token, 'lease_until', now + lease_ms, 'updated_at', now)
if done > 0 then redis.call('HINCRBY', name, 'done', done) end
if error ~= '' then redis.call('HSET', name, 'error', error, 'state', 'failed') end
return {1, 1, job[3], job[4]}
