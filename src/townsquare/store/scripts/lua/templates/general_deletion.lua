--[[
  Delete a ${name} with everything of its own.

  Keys:    ${use}
  Deletes: ${use}
  Errors:  ${errors}
  Input:   ${inputs}, job string, begin boolean, chunk integer, now integer
  Output:  taken integer, job string
]]
${unless_there}return {delete_${name}(${params}, job, begin, chunk, now)}
