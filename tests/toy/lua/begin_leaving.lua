--[[
  From now on this person is about to leave; a job does the rest.

  Keys:    person(name)
  Effects: city_people(*), people_joined()
  Input:   name string, job string, now integer
  Output:  job string
  Errors:  no_such_person
  Include: staying, jobs
]]
if not staying(name) then return refuse('no_such_person') end
redis.call('HSET', key.person(name), 'leaving', job)
local city = redis.call('HGET', key.person(name), 'city')
if city then emit('SREM', key.city_people(city), name) end
emit('ZREM', key.people_joined(), name)
start_job(job, const.LEAVE_JOB, {name = name}, now)
return job
