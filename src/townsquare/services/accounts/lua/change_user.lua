--[[
  Store a changed user; compare-and-set on the version. Unique values that are new are given besides the
  document, those that stay are not.

  Keys:    user(id)
  Claims:  email(email) = id, username(username) = id, phone(phone) = id, device(device_id) = id,
           google(google_id) = id, provider_google(google_id) = id, provider_github(github_id) = id
  Input:   id string, version integer, document string, created integer, email string?, username string?,
           phone string?, device_id string?, google_id string?, github_id string?
  Include: rewrite
]]
local before, refusal = current(id, version)
if not before then return refusal end
rewrite(id, before, document, created)
keep_claims()
