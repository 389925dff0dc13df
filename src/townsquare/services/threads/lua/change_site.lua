--[[
  Change the settings, name, domain or keys of a site, if the settings are still those that were read.

  Keys:    site(site_id)
  Effects: public_key(*), secret_key(*)
  Input:   site_id string, before string, name string?, domain string?, settings string?, public string?,
           secret_digest string?
  Output:  public string, secret_digest string
  Errors:  site_not_found, conflict
]]
local kept, old_public, old_secret, deleting = unpack(redis.call('HMGET', key.site(site_id), 'settings',
  'api_key_public', 'api_key_secret', 'deleting'))
if not kept or deleting then return refuse('site_not_found') end
if kept ~= before then return refuse('conflict') end
local function set(field, value)
  if value then redis.call('HSET', key.site(site_id), field, value) end
end
set('name', name)
set('domain', domain)
set('settings', settings)
set('api_key_public', public)
set('api_key_secret', secret_digest)
if public then
  emit('SET', key.public_key(public), site_id)
  emit('DEL', key.public_key(old_public))
end
if secret_digest then
  emit('SET', key.secret_key(secret_digest), site_id)
  emit('DEL', key.secret_key(old_secret))
end
return {old_public, old_secret}
