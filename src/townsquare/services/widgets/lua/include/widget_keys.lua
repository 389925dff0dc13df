--[[
  The keys that every kind of widget has: url_of[kind](url), record_of[kind](id), owner_of[kind](id),
  index_of[kind](), and of those that have a total ids_of[kind]().

  Keys:    counter_url(*), like_url(*), ranking_url(*), bbs_url(*), counter(*), like(*), ranking(*), bbs(*),
           counter_owner(*), like_owner(*), ranking_owner(*), bbs_owner(*)
  Effects: counters_index(), likes_index(), rankings_index(), bbss_index(), counters_ids(), likes_ids()
]]
local url_of = {counter = key.counter_url, like = key.like_url, ranking = key.ranking_url, bbs = key.bbs_url}
local record_of = {counter = key.counter, like = key.like, ranking = key.ranking, bbs = key.bbs}
local owner_of = {
  counter = key.counter_owner, like = key.like_owner, ranking = key.ranking_owner, bbs = key.bbs_owner,
}
local index_of = {
  counter = key.counters_index, like = key.likes_index, ranking = key.rankings_index, bbs = key.bbss_index,
}
local ids_of = {counter = key.counters_ids, like = key.likes_ids}
