--[[
  Store a changed user; compare-and-set on the version. `claims` are the unique values
  that are new. With a `job` the change is propagated to other services: see open_update.

  Keys:    user(id)
  Claims:  indexes of user (claims) = id
  Input:   id string, document string, created integer, claims json, job string?, known string, upcoming string,
           version integer, now integer
  Output:  job string
  Include: rewrite, open_update
]]
local before, refusal = current(id, version)
if not before then return refusal end
rewrite(id, before, document, created)
keep_claims()
return job and open_update(id, job, known, upcoming, now) or ''
