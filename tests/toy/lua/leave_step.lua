--[[
  Delete up to `chunk` notes, follows and followers of a person; in the end the person.

  Keys:    person(name), follows(name), followers(name), person_notes(name), praises(name), note(*), note_likes(*),
           note_vector(*), note_readers(*)
  Effects: tag_notes(*), email(*)
  Runs:    remove_follower, drop_follow
  Input:   name string, chunk integer
  Output:  done integer
  Include: jobs
]]
local leaving, address = unpack(redis.call('HMGET', key.person(name), 'leaving', 'email'))
if not leaving then return 0 end

local notes = redis.call('SRANDMEMBER', key.person_notes(name), chunk)
for _, id in ipairs(notes) do
  local text = redis.call('GET', key.note(id))
  for _, tag in ipairs(cjson.decode(text).tags) do emit('SREM', key.tag_notes(tag), id) end
  redis.call('DEL', key.note(id), key.note_likes(id), key.note_vector(id), key.note_readers(id))
  redis.call('SREM', key.person_notes(name), id)
end
local others = redis.call('SRANDMEMBER', key.follows(name), chunk)
for _, other in ipairs(others) do
  redis.call('SREM', key.follows(name), other)
  run.remove_follower(other, name)
end
local fans = redis.call('SRANDMEMBER', key.followers(name), chunk)
for _, fan in ipairs(fans) do
  redis.call('SREM', key.followers(name), fan)
  run.drop_follow(fan, name)
end
redis.call('HSET', key.person(name), 'notes_count', redis.call('SCARD', key.person_notes(name)),
  'follows_count', redis.call('SCARD', key.follows(name)), 'followers_count', redis.call('SCARD', key.followers(name)))

local done = #notes + #others + #fans
if done > 0 then return done end
redis.call('DEL', key.person(name), key.praises(name))
if address then emit('DELIFEQ', key.email(address), name) end
finish_job(leaving)
return 1
