--[[
  Try a code: the right one is used up, the last wrong try ends it.

  Keys:   verify(target)
  Input:  target string, kind string, code string, most integer
  Output: right boolean, user_id string?
]]
local text = redis.call('GET', key.verify(target))
if not text then return {0, false} end
local sent = cjson.decode(text)
if sent.verification_type ~= kind then return {0, false} end

if sent.code == code then
  redis.call('DEL', key.verify(target))
  return {1, sent.user_id ~= cjson.null and sent.user_id or false}
end
sent.attempts = sent.attempts + 1
if sent.attempts >= most then
  redis.call('DEL', key.verify(target))
else
  redis.call('SET', key.verify(target), cjson.encode(sent), 'KEEPTTL')
end
return {0, false}
