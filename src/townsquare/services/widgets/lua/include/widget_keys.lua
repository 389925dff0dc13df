--[[
  The keys that every kind of widget has: key[kind](id), key[kind .. '_url'](url), key[kind .. '_owner'](id),
  key[kind .. 's_index']().

  Keys:    counter_url(*), like_url(*), ranking_url(*), bbs_url(*), counter(*), like(*), ranking(*), bbs(*),
           counter_owner(*), like_owner(*), ranking_owner(*), bbs_owner(*)
  Effects: counters_index(), likes_index(), rankings_index(), bbss_index()
]]
