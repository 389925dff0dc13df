--[[
  Vote on a comment. The same vote again removes it; the opposite vote replaces it.

  Keys:    comment(comment_id), vote(user_id, comment_id)
  Asks:    note_vote (commenter_not_found, banned)
  Runs:    notify_upvote
  Input:   comment_id string, user_id string, site_id string, direction string, notify_author boolean, at string,
           now integer
  Output:  upvotes integer, downvotes integer, my_vote string
  Errors:  comment_not_found
  Include: comment_record, votes
]]
local comment = read_comment(comment_id)
if not comment or comment.site_id ~= site_id or not is_seen_by(comment, user_id, false) then
  return refuse('comment_not_found')
end
local kept = redis.call('GET', key.vote(user_id, comment_id))
local wanted = kept ~= direction and direction or nil
local score = 0
if wanted then score = wanted == 'up' and const.UP or const.DOWN end
local refusal = ask.note_vote(user_id, comment_id, score)
if refusal then return refusal end
local up, down = set_vote(comment_id, comment, user_id, wanted)
if notify_author and wanted == 'up' and is_public(comment) and comment.author ~= user_id then
  run.notify_upvote(comment.author, site_id, comment_id, user_id, at, now)
end
return {up, down, wanted or ''}
