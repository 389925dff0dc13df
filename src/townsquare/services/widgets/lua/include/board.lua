--[[
  board_view(record, page): {record, the page that is shown, total, messages}; a page that is not there is the last.
  trim_board(record): forget the oldest messages until maxMessages are left.
  save_board(record): write the record with the number of messages.
  find_message(record, message_id): the text of a message. It begins with its id, and there are at most a
  thousand to look at.

  Keys: bbs(*), bbs_messages(*), bbs_edits(*)
]]
local STEP = 100

local function board_view(record, page)
  local messages, per = key.bbs_messages(record.id), record.settings.messagesPerPage
  local total = redis.call('LLEN', messages)
  local shown = math.min(page, math.max(1, math.ceil(total / per)))
  return {cjson.encode(record), shown, total, redis.call('LRANGE', messages, (shown - 1) * per, shown * per - 1)}
end

local function trim_board(record)
  for _ = record.settings.maxMessages + 1, redis.call('LLEN', key.bbs_messages(record.id)) do
    local oldest = redis.call('RPOP', key.bbs_messages(record.id))
    redis.call('HDEL', key.bbs_edits(record.id), cjson.decode(oldest).id)
  end
end

local function save_board(record)
  record.totalMessages = redis.call('LLEN', key.bbs_messages(record.id))
  redis.call('SET', key.bbs(record.id), cjson.encode(record))
end

local function find_message(record, message_id)
  local beginning = '{"id":"' .. message_id .. '"'
  for from = 0, redis.call('LLEN', key.bbs_messages(record.id)), STEP do
    for _, text in ipairs(redis.call('LRANGE', key.bbs_messages(record.id), from, from + STEP - 1)) do
      if string.sub(text, 1, #beginning) == beginning then return text end
    end
  end
end
