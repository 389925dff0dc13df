--[[
  Mark a user as being deleted, which ends sign-in, and start the job.

  Keys:    user(id)
  Input:   id string, version integer, document string, created integer, job string, now integer
  Deletes: user(id)
  Include: rewrite
]]
local before, refusal = current(id, version)
if not before then return refusal end
rewrite(id, before, document, created)
start_delete_user(id, job, now)
