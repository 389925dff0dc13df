--[[
  Return the code for a target and whether to send it: the valid code with a renewed lifetime, or a new one. An
  asker without tries left gets a new code. After enough messages in an hour a valid code is not sent again, and
  a new one only after the lifetime of the last one.

  Keys:    verify(target), verify_reset(target), code_mails(target_hash, kind)
  Input:   target string, target_hash string, kind string, salt string, code string, user_id string?,
           asker string, now integer, now_iso string, since_iso string
  Output:  salt string, send boolean, wait integer
  Include: codes, deadlines
]]
local name, mails = code_key(target, kind), key.code_mails(target_hash, kind)
local text = redis.call('GET', name)
local kept = text and cjson.decode(text)
if kept and (not kept.salt or kept.created_at <= since_iso or tries_of(kept, asker) >= const.CODE_TRIES) then kept = nil end

local hour, life = lifetime.code_mails * 1000, lifetime.verify * 1000
drop_outside(mails, now, hour)
local last = tonumber(redis.call('ZRANGE', mails, -1, -1, 'WITHSCORES')[2] or 0)
local wait = ms_left(last, now, life)
local send = redis.call('ZCARD', mails) < const.CODE_MAILS or (not kept and wait == 0)
if not kept and not send then return {'', 0, wait} end

kept = kept or {code = code, salt = salt, verification_type = kind, created_at = now_iso, attempts = 0, tries = {}}
kept.user_id = user_id or cjson.null
redis.call('SET', name, cjson.encode(kept), 'EX', lifetime.verify)
if send then
  redis.call('ZADD', mails, now, salt)
  redis.call('PEXPIRE', mails, hour)
end
return {kept.salt, send and 1 or 0, 0}
