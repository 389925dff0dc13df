--[[
  Try a code. A right code is deleted unless `keep` is set. Wrong tries are counted per asker; too many of
  all askers together delete the code. `user_id` is the recipient of the code, even if the code is wrong.
  `former` is the hash of the code by the former secret of the server.

  Keys:    verify(target), verify_reset(target)
  Input:   target string, kind string, code string, former string?, asker string, keep boolean
  Output:  right boolean, user_id string?
  Include: codes
]]
local name = code_key(target, kind)
local text = redis.call('GET', name)
if not text then return {0, false} end
local sent = cjson.decode(text)
local user_id = sent.user_id ~= cjson.null and sent.user_id or false
local tries = tries_of(sent, asker)
if tries >= const.CODE_TRIES then return {0, user_id} end

if sent.code == code or sent.code == former then
  if not keep then redis.call('DEL', name) end
  return {1, user_id}
end
sent.tries = sent.tries or {}
sent.tries[asker] = tries + 1
sent.attempts = sent.attempts + 1
if sent.attempts >= const.CODE_TRIES_BY_ALL then
  redis.call('DEL', name)
else
  redis.call('SET', name, cjson.encode(sent), 'KEEPTTL')
end
return {0, user_id}
