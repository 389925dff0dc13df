--[[
  Store a new user with everything that leads to it.

  Keys:    user(id)
  Claims:  indexes of user (claims) = id
  Input:   id string, document string, created integer, claims json
  Errors:  user_exists
  Include: user_indexes
]]
if redis.call('EXISTS', key.user(id)) == 1 then return refuse('user_exists') end

redis.call('SET', key.user(id), document)
keep_claims()
place(id, nil, cjson.decode(document), created)
