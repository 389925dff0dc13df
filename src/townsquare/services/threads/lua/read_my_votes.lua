--[[
  How a user has voted on the newest comments of a page, those that only the user sees included.

  Keys:    page(page_id), page_public(page_id), page_hidden_of(page_id, user_id), vote(user_id, *)
  Input:   page_id string, user_id string, site_id string
  Output:  votes json
]]
local votes = {}
if redis.call('HGET', key.page(page_id), 'site_id') ~= site_id then return votes end
local function read(list)
  for _, id in ipairs(redis.call('ZREVRANGE', list, 0, const.VOTES_READ - 1)) do
    local vote = redis.call('GET', key.vote(user_id, id))
    if vote then votes[#votes + 1], votes[#votes + 2] = id, vote end
  end
end
read(key.page_public(page_id))
read(key.page_hidden_of(page_id, user_id))
return votes
