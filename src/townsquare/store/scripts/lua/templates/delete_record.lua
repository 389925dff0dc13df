local function count_${name}_members(${params})
  return ${total}
end

local function unlink_${name}(${params})
  redis.call('UNLINK', ${owned})
end

local function start_delete_${name}(${params}, job, now)
  start_job(job, '${kind}', {values = {${params}}, job = job}, now)
  redis.call('HSET', key.job(job), 'total', count_${name}_members(${params}))
end

local function leave_places_of_${name}(${params})
${leave_places}
end

local function delete_${name}(${params}, job, begin, chunk, now)
  local open = ${read_mark}
  if not begin and open ~= job then
    finish_job(job)
    return 0, ''
  end
  if not open then leave_places_of_${name}(${params}) end
  local budget, members = chunk, nil
${take_members}
  if ${is_left} then
    if not open then
      open = job
      ${write_mark}
      start_delete_${name}(${params}, job, now)
    end
    return chunk - budget, open
  end
  if open then
    leave_places_of_${name}(${params})  -- whoever marked it may not have done so
    finish_job(open)
  end
  unlink_${name}(${params})
  return chunk - budget, ''
end
