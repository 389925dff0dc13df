--[[
  board_view(record, page, per, oldest_first): {record, the page that is shown, total, messages}; a page that is not
  there is the last. Pages are counted from the newest messages, or from the oldest.
  trim_board(record): forget the oldest messages until maxMessages are left.
  save_board(record): write the record with the number of messages.
  find_message(record, message_id): the text of a message. It begins with its id, and there are at most a
  thousand to look at.

  Keys: bbs(*), bbs_messages(*), bbs_edits(*)
]]
local STEP = 100

local function board_view(record, page, per, oldest_first)
  local messages = key.bbs_messages(record.id)
  local total = redis.call('LLEN', messages)
  local shown = math.min(page, math.max(1, math.ceil(total / per)))
  local from, to = (shown - 1) * per, shown * per - 1
  if oldest_first then from, to = math.max(0, total - 1 - to), total - 1 - from end
  local rows = redis.call('LRANGE', messages, from, to)
  if oldest_first then
    for place = 1, math.floor(#rows / 2) do
      rows[place], rows[#rows + 1 - place] = rows[#rows + 1 - place], rows[place]
    end
  end
  return {cjson.encode(record), shown, total, rows}
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
