--[[
  set_vote(id, comment, user_id, direction): set the vote of a user (up, down or nil) and everything that depends on it:
  counts, orders, the author's karma, the live message.
  recount_votes(id, comment): only counts, orders and karma.
  Both return both counts.

  Keys:    comment(*), comment_voters(*), vote(*, *), comment_replies(*)
  Runs:    set_karma
  Include: comment_record, comment_lists, publish
]]
local function recount_votes(id, comment)
  local voters = key.comment_voters(id)
  local imported_up, imported_down, before = unpack(redis.call('HMGET', key.comment(id), 'imported_upvotes',
    'imported_downvotes', 'karma'))
  local karma = redis.call('ZCOUNT', voters, const.UP, const.UP)
  local up = karma + tonumber(imported_up or 0)
  local down = redis.call('ZCOUNT', voters, const.DOWN, const.DOWN) + tonumber(imported_down or 0)
  if comment.author and tonumber(redis.call('ZSCORE', voters, comment.author) or 0) == const.UP then
    karma = karma - 1
  end
  redis.call('HSET', key.comment(id), 'upvotes', up, 'downvotes', down, 'karma', karma)
  if comment.author and karma ~= tonumber(before or 0) then run.set_karma(comment.author, id, karma) end
  if not comment.parent then
    local listed = is_public(comment) or redis.call('ZCARD', key.comment_replies(id)) > 0
    rescore_comment(id, comment, listed, up, down)
  end
  return up, down
end

local function set_vote(id, comment, user_id, direction)
  local voters = key.comment_voters(id)
  if direction then
    redis.call('SET', key.vote(user_id, id), direction)
    redis.call('ZADD', voters, direction == 'up' and const.UP or const.DOWN, user_id)
  else
    redis.call('DEL', key.vote(user_id, id))
    redis.call('ZREM', voters, user_id)
  end
  local up, down = recount_votes(id, comment)
  publish_of(comment, 'vote_update', id, {upvotes = up, downvotes = down})
  return up, down
end
