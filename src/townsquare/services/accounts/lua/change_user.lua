--[[
  Store a changed user; compare-and-set on the version. `claims` are the unique values
  that are new.

  Keys:    user(id)
  Claims:  indexes of user (claims) = id
  Input:   id string, version integer, document string, created integer, claims json
  Include: rewrite
]]
local before, refusal = current(id, version)
if not before then return refusal end
rewrite(id, before, document, created)
keep_claims()
