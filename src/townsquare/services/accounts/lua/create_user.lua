--[[
  Store a new user with its indexes. With a `job` it is propagated to other services: see open_update.

  Keys:    user(id)
  Claims:  indexes of user (claims) = id
  Input:   id string, document string, created integer, claims json, job string?, known string, upcoming string,
           now integer
  Output:  job string
  Errors:  user_exists
  Include: user_indexes, open_update
]]
if redis.call('EXISTS', key.user(id)) == 1 then return refuse('user_exists') end

redis.call('SET', key.user(id), document)
keep_claims()
place(id, nil, cjson.decode(document), created)
return job and open_update(id, job, known, upcoming, now) or ''
