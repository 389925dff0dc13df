--[[
  remember_result(result): the last write of a script that creates something. If the request has an Idempotency-Key,
  a retry is refused with `already_done` and this text, from which the server builds the response again. The value is
  the fingerprint of the request, its asks and the text: if another home refuses an ask, the drainer deletes the value.
  REQUEST, BUCKET and FINGERPRINT are set by the program; REQUEST is nil without a key.

  Keys:    system.idempotency_result(*, *)
  Effects: system.idempotency(*)
]]
local function remember_result(result)
  if not REQUEST then return end
  local value = FINGERPRINT .. ' ' .. table.concat(asked, ',') .. ' ' .. result
  redis.call('SET', key.idempotency_result(REQUEST, BUCKET), value, 'EX', lifetime.idempotency_result)
  emit('SET', key.idempotency(REQUEST), FINGERPRINT .. ' ' .. BUCKET, 'EX', lifetime.idempotency)
end
