--[[
  Remove a user's vote: the user is banned, does not exist or is being deleted.

  Keys:    comment(comment_id), vote(user_id, comment_id), comment_moved(comment_id)
  Effects: user_votes(*)
  Runs:    drop_vote
  Input:   comment_id string, user_id string
  Include: comment_record, votes
]]
local comment = read_comment(comment_id)
local moved = not comment and redis.call('GET', key.comment_moved(comment_id))
if moved then run.drop_vote(moved, user_id) end
if comment and redis.call('EXISTS', key.vote(user_id, comment_id)) == 1 then
  set_vote(comment_id, comment, user_id, nil)
end
emit('ZREM', key.user_votes(user_id), comment_id)
