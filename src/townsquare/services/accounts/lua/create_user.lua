--[[
  Store a new user with everything that leads to it.

  Keys:    user(id)
  Claims:  email(email) = id, username(username) = id, phone(phone) = id, device(device_id) = id,
           google(google_id) = id, provider_google(google_id) = id, provider_github(github_id) = id
  Input:   id string, document string, created integer, email string?, username string?, phone string?,
           device_id string?, google_id string?, github_id string?
  Errors:  user_exists
  Include: user_indexes
]]
if redis.call('EXISTS', key.user(id)) == 1 then return refuse('user_exists') end

redis.call('SET', key.user(id), document)
keep_claims()
place(id, nil, cjson.decode(document), created)
