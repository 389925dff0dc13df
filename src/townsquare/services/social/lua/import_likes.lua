--[[
  Likes of one post that were given elsewhere, at the times that they were given.

  Keys:    post(id), post_likes(id), post_bookmarks(id)
  Asks:    add_like_bookmark_or_report (profile_not_found, post_not_found)
  Input:   id string, usernames [string], times [integer], now integer
  Output:  [string] created, unchanged, or the code of a problem
  Errors:  post_not_found, post_banned
  Include: score, post_record, recount_post
]]
local post = read_post(id)
if not post then return refuse('post_not_found') end
if post.banned then return refuse('post_banned') end

local outcomes = {}
for place, username in ipairs(usernames) do
  if redis.call('SISMEMBER', key.post_likes(id), username) == 1 then
    outcomes[place] = 'unchanged'
  else
    local refusal = ask.add_like_bookmark_or_report(username, id, post.author, 'like', times[place])
    if not refusal then redis.call('SADD', key.post_likes(id), username) end
    outcomes[place] = refusal and code_of(refusal) or 'created'
  end
end
recount_post(id, post, now)
return outcomes
