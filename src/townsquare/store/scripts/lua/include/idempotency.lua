--[[
  remember_result(result): the last write of a script that creates something. If the request has an Idempotency-Key,
  a retry is refused with `already_done` and this text, from which the server builds the response again. REQUEST,
  BUCKET and FINGERPRINT are set by the program; REQUEST is nil without a key.

  Keys:    system.idempotency_result(*, *)
  Effects: system.idempotency(*)
]]
local function remember_result(result)
  if not REQUEST then return end
  redis.call('SET', key.idempotency_result(REQUEST, BUCKET), result, 'EX', lifetime.idempotency_result)
  emit('SET', key.idempotency(REQUEST), FINGERPRINT .. ' ' .. result, 'EX', lifetime.idempotency)
end
