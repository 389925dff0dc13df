--[[
  A comment and those that it answers, up to its root, in one step.

  Keys:    comment(comment_id), comment(*)
  Input:   comment_id string
  Output:  records json
]]
local fields, records, id = const.COMMENT_FIELDS, {}, comment_id
for _ = 0, const.DEEPEST do
  local record = redis.call('HMGET', key.comment(id), unpack(fields))
  records[#records + 1] = record
  id = redis.call('HGET', key.comment(id), 'parent_id')
  if not id then break end
end
return records
